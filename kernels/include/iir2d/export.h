/* SPDX-License-Identifier: MIT
 * Symbol visibility of libiir2d: everything is hidden but what carries IIR2D_API. */
#ifndef IIR2D_EXPORT_H
#define IIR2D_EXPORT_H

#if defined(IIR2D_STATIC)
#define IIR2D_API
#elif defined(_WIN32)
#if defined(IIR2D_BUILDING)
#define IIR2D_API __declspec(dllexport)
#else
#define IIR2D_API __declspec(dllimport)
#endif
#else
#define IIR2D_API __attribute__((visibility("default")))
#endif

#endif
