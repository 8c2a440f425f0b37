# MACAREU_ITK: AUTO builds the ITK module where ITK is found, and says so where it is not; ON wants it.
if(MACAREU_ITK)
  set(components ITKCommon ITKConnectedComponents ITKDistanceMap ITKIOMeta ITKImageFeature ITKLabelMap
    ITKMathematicalMorphology ITKSmoothing)
  set(uses_cuda ${MACAREU_USES_CUDA})
  if(MACAREU_ITK STREQUAL "AUTO")
    find_package(ITK QUIET COMPONENTS ${components})
  else()
    find_package(ITK REQUIRED COMPONENTS ${components})
  endif()
  set(MACAREU_USES_CUDA ${uses_cuda})  # an ITK that was built with the module tells of the Macareu in it
  if(ITK_FOUND AND ITK_VERSION VERSION_GREATER_EQUAL 5.2)
    set_target_properties(macareu PROPERTIES POSITION_INDEPENDENT_CODE ON)  # it becomes part of a shared object
    set(MACAREU_ITK_TESTS ${MACAREU_TESTS} CACHE BOOL "Build the tests and benchmarks of the ITK module")
    add_subdirectory(itk)
  else()
    message(STATUS "ITK 5.2 or newer was not found: its module and the tests of it are left out")
    if(MACAREU_TESTS)
      add_test(NAME itk COMMAND ${CMAKE_COMMAND} -E echo "skipped: CMake did not find ITK, see docs/itk.md")
      set_tests_properties(itk PROPERTIES SKIP_REGULAR_EXPRESSION skipped)
    endif()
  endif()
endif()
