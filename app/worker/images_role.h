// SPDX-License-Identifier: MIT
// Reads and writes images for the programs (core/image/worker_protocol.h).
#pragma once

#include "core/worker/serve.h"

namespace app {

workbench::worker::Role images_role();

}  // namespace app
