// SPDX-License-Identifier: MIT
// A kernel of a solver as CUDA source, with its adjoint.
#pragma once

#include <QDialog>

namespace workbench {

class KernelDialog : public QDialog {
    Q_OBJECT
  public:
    // `name` as SolvePage::kernelAsked() gives it.
    KernelDialog(const QString& name, QWidget* parent);
};

}  // namespace workbench
