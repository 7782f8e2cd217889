// SPDX-License-Identifier: MIT
// A label that gives way in a narrow window: it elides its text and tells the whole in its tool tip.
#pragma once

#include <QLabel>

namespace workbench {

class ElidedLabel : public QLabel {
    Q_OBJECT
  public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    // Colours of the theme, taken when it paints, so that they follow a change of theme.
    enum class Tone { normal, muted, success, warning, error };
    void setTone(Tone tone);

    void setFullText(const QString& text, const QString& toolTip = {});
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QString m_text;
    Tone m_tone = Tone::normal;
};

}  // namespace workbench
