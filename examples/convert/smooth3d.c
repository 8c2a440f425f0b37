/* The mean of 3 x 3 x 3 voxels, in 16 bits.
   macareu run smooth3d.c volume.nrrd -o smooth.nrrd --border mirror */

#N2P_FUNC
static unsigned short mean(unsigned short voxel[3][3][3], int x, int y, int z) {
    unsigned int sum = 0;
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                sum += voxel[k][j][i];
    return (sum + 13) / 27;
}
