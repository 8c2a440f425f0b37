# fish completion for macareu. The tool lists its verbs and options itself.
function __macareu_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

function __macareu_options
    macareu --options (__macareu_verb) 2>/dev/null | while read -d \t -l name value help
        string match -q -- '-*' $name; and printf '%s\t%s\n' $name $help
    end
end

function __macareu_values
    set -l before (commandline -opc)[-1]
    macareu --options (__macareu_verb) 2>/dev/null | while read -d \t -l name value help
        test "$name" = "$before"; and string match -qr '[a-z].*\|' -- $value; and string split '|' -- $value
    end
end

complete -c macareu -n 'test (count (commandline -opc)) -eq 1' -f -a '(macareu --options 2>/dev/null)'
complete -c macareu -n 'test (count (commandline -opc)) -ge 2' -a '(__macareu_values)'
complete -c macareu -n 'test (count (commandline -opc)) -ge 2; and string match -q -- "-*" (commandline -ct)' -a '(__macareu_options)'
