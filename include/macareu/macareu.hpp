// All public headers.
#pragma once

#include <macareu/catalogue.hpp>
#include <macareu/compare.hpp>
#include <macareu/connectivity.hpp>
#include <macareu/context.hpp>
#include <macareu/error.hpp>
#include <macareu/files.hpp>
#include <macareu/generate.hpp>
#include <macareu/image.hpp>
#include <macareu/machine.hpp>
#include <macareu/modules.hpp>
#include <macareu/number.hpp>
#include <macareu/operators.hpp>
#include <macareu/sources.hpp>
#include <macareu/table.hpp>
#include <macareu/version.hpp>
