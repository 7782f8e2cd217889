// SPDX-License-Identifier: MIT
#include "tests/ui/benchmark/access.h"

#include <gmock/gmock.h>

#include <QAbstractSpinBox>
#include <QAccessible>
#include <QLineEdit>
#include <QWidget>

namespace workbench {

void expectAccessibleNames(QWidget& root) {
    for (auto* widget : root.findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisibleTo(&root)) continue;
        if (widget->metaObject() == &QWidget::staticMetaObject)
            continue;  // holds others, is not touched itself
        if (widget->inherits("QScrollBar") || widget->objectName().startsWith(QLatin1String("qt_"))) continue;
        if (qobject_cast<QLineEdit*>(widget) && qobject_cast<QAbstractSpinBox*>(widget->parentWidget()))
            continue;
        QAccessibleInterface* access = QAccessible::queryAccessibleInterface(widget);
        ASSERT_NE(access, nullptr) << widget->metaObject()->className();
        EXPECT_FALSE(access->text(QAccessible::Name).isEmpty())
            << widget->metaObject()->className() << " " << widget->objectName().toStdString();
    }
}

}  // namespace workbench
