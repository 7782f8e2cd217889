// SPDX-License-Identifier: MIT
// The form that a matrix is chosen with. Shows what is wrong beside what is wrong.
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "ui/benchmark/matrix_choices.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QRadioButton;
class QVBoxLayout;

namespace workbench {

class CountBox;
class PoolForm;
class Session;
class ToneLabel;

class MatrixForm : public QWidget {
    Q_OBJECT
  public:
    explicit MatrixForm(Session& session, QWidget* parent = nullptr);

    MatrixChoices choices() const;
    void setChoices(const MatrixChoices& choices);
    // As of the last change.
    const std::expected<ChosenMatrix, std::vector<MatrixProblem>>& matrix() const { return m_matrix; }
    void focusProblem();
    // What is wrong there, as shown; empty when nothing is.
    QString problemAt(MatrixField field) const;

  public Q_SLOTS:
    // What is open, and how much memory is free, may have changed.
    void refresh();

  Q_SIGNALS:
    void changed();

  private:
    QWidget* makeSection(const QString& title);
    void makePresets(QVBoxLayout* layout);
    void makeSource(QVBoxLayout* layout);
    void makeWork(QVBoxLayout* layout);
    void makeVariants(QVBoxLayout* layout);
    void makeRun(QVBoxLayout* layout);
    ToneLabel* addProblemLine(QVBoxLayout* layout, MatrixField field);
    template <class T>
    QCheckBox* addBox(std::vector<std::pair<T, QCheckBox*>>& boxes, T value, const QString& text,
                      const QString& spoken, const QString& toolTip);
    void showDevices();
    void addDevice(const QString& id, const QString& text, const QString& whyNot);
    void followDevice();
    void showContext();
    void showPreset();
    CountBox* wrongNumber() const;  // null when every number is one

    Session& m_session;
    std::expected<ChosenMatrix, std::vector<MatrixProblem>> m_matrix;
    QComboBox* m_preset = nullptr;
    QRadioButton* m_synthetic = nullptr;
    QRadioButton* m_image = nullptr;
    ToneLabel* m_imageText = nullptr;
    std::vector<std::pair<int, QCheckBox*>> m_sizes;
    QLineEdit* m_customSizes = nullptr;
    std::vector<std::pair<int, QCheckBox*>> m_filters;
    PoolForm* m_pools = nullptr;
    QCheckBox* m_recipe = nullptr;
    std::vector<std::pair<iir2d::Border, QCheckBox*>> m_borders;
    std::vector<std::pair<iir2d::Precision, QCheckBox*>> m_precisions;
    QComboBox* m_device = nullptr;
    ToneLabel* m_deviceText = nullptr;
    CountBox* m_threads = nullptr;
    CountBox* m_warmup = nullptr;
    CountBox* m_iterations = nullptr;
    std::vector<std::pair<MatrixField, ToneLabel*>> m_problems;
    bool m_setting = false;
    std::pair<QString, int> m_followed;  // device and threads of the session, as of last
};

}  // namespace workbench
