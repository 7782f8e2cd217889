/* Filters a row of three samples in place with filter 1. */
#include <iir2d/iir2d_core.h>
#include <stdio.h>

int main(void) {
    float row[3] = {1.0F, 1.0F, 1.0F};
    const IIR2D_Params params = {.width = 3,
                                 .height = 1,
                                 .filter_id = 1,
                                 .border_mode = IIR2D_BORDER_CLAMP,
                                 .precision = IIR2D_PRECISION_F32};
    int status = iir2d_forward_cpu(row, row, &params);
    if (status != IIR2D_STATUS_OK) {
        fprintf(stderr, "iir2d: %s\n", iir2d_status_string(status));
        return 1;
    }
    printf("iir2d %d: %.6f %.6f %.6f\n", iir2d_api_version_packed(), row[0], row[1], row[2]);

    IIR2D_Params wrong = params;
    wrong.filter_id = 99;
    status = iir2d_forward_cpu(row, row, &wrong);
    printf("filter 99: %d, %s\n", status, iir2d_status_string(status));
    return 0;
}
