set(DOCUMENTATION "Macareu's operators as ITK filters, and object factories that put them in the place of ITK's own:
reconstruction, fill holes, extrema, distance maps, connected components, Sobel, Gaussian, Canny, and a watershed by name.")

itk_module(Macareu
  DEPENDS
    ITKCommon
    ITKConnectedComponents
    ITKDistanceMap
    ITKImageFeature
    ITKLabelMap
    ITKMathematicalMorphology
    ITKSmoothing
    ITKWatersheds
  TEST_DEPENDS
    ITKGoogleTest
  EXCLUDE_FROM_DEFAULT
  DESCRIPTION "${DOCUMENTATION}")
