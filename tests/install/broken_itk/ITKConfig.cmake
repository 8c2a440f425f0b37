if("ITKWatersheds" IN_LIST ITK_FIND_COMPONENTS)
  message(FATAL_ERROR "no module ITKWatersheds")
endif()
