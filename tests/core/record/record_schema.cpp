// SPDX-License-Identifier: MIT
#include "tests/core/record/record_schema.h"

#include "tests/core/record/schema_of.h"

namespace workbench::testing {

std::string record_schema() {
    return schema_of<Record>(
        "IIR2D Workbench benchmark record, version 1",
        "A value that could not be had is {\"value\": null, \"reason\": \"...\"}; one that could is "
        "{\"value\": ...}. Times are milliseconds, sizes pixels. docs/records.md says what each member "
        "means.");
}

}  // namespace workbench::testing
