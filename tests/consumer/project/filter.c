/* Filters two channels at two widths, in place; then goes wrong on purpose. */
#include <iir2d/iir2d_filter.h>
#include <stdio.h>

int main(void) {
    float planes[2][3][4] = {{{0}}};
    planes[0][1][1] = planes[1][1][1] = 1.0F;
    double sigmas[2][2] = {{0.5, 0.0}, {2.0, 0.0}}; /* sigma and compat_1_0, the parameters of filter 6 */
    IIR2D_FilterParams params = {0};
    params.size = sizeof params;
    params.filter_id = 6;
    params.border_mode = IIR2D_BORDER_CLAMP;
    params.normalise_gain = 1;
    params.n = 1;
    params.c = 2;
    params.height = 3;
    params.width = 4;
    params.parameters = &sigmas[0][0];
    params.parameter_sets = 2; /* one for each plane; 1: one for all of them */
    if (iir2d_filter_forward_cpu(planes, planes, &params) != IIR2D_STATUS_OK) {
        fprintf(stderr, "%s\n", iir2d_last_error());
        return 1;
    }
    printf("%.3f %.3f\n", planes[0][1][1], planes[1][1][1]);

    sigmas[1][0] = 1000.0;
    printf("%s\n", iir2d_status_string(iir2d_filter_forward_cpu(planes, planes, &params)));
    printf("%s\n", iir2d_last_error());
    return 0;
}
