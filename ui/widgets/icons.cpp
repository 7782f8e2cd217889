// SPDX-License-Identifier: MIT
#include "ui/widgets/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "ui/widgets/theme.h"

// A resource in a static library is not linked unless somebody asks for it, from outside any namespace.
static void initialiseIconResources() {
    Q_INIT_RESOURCE(icons);
}

namespace workbench {
namespace {

// Draws a one-colour SVG in the colour that the theme gives to the mode at the time of painting.
class ThemedIconEngine : public QIconEngine {
  public:
    ThemedIconEngine(QByteArray svg, IconGround ground) : m_svg(std::move(svg)), m_ground(ground) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const QColor colour = colourOf(mode, state);
        QByteArray svg = m_svg;
        svg.replace("currentColor", colour.name().toLatin1());
        QSvgRenderer renderer(svg);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setOpacity(painter->opacity() * (mode == QIcon::Disabled ? 0.4 : 1.0));
        renderer.render(painter, QRectF(rect));
        painter->restore();
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return scaledPixmap(size, mode, state, 1.0);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal /*scale*/) override {
        const QString key = QStringLiteral("themed-icon:%1:%2:%3x%4:%5")
                                .arg(qHash(m_svg))
                                .arg(colourOf(mode, state).name())
                                .arg(size.width())
                                .arg(size.height())
                                .arg(int(mode));
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap)) return pixmap;
        pixmap = QPixmap(size);  // device pixels: the caller sets the ratio
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        painter.end();
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

    QIconEngine* clone() const override { return new ThemedIconEngine(m_svg, m_ground); }

  private:
    QColor colourOf(QIcon::Mode mode, QIcon::State state) const {
        const ThemeColours& c = themeColours();
        if (mode == QIcon::Selected) return c.accentText;
        if (m_ground == IconGround::accent) return mode == QIcon::Disabled ? c.text : c.accentText;
        return state == QIcon::On && mode != QIcon::Disabled ? c.accent : c.text;
    }

    QByteArray m_svg;
    IconGround m_ground;
};

}  // namespace

QIcon themedIcon(const QString& name, IconGround ground) {
    initialiseIconResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QIcon(new ThemedIconEngine(file.readAll(), ground));
}

QIcon applicationIcon() {
    initialiseIconResources();
    return QIcon(QStringLiteral(":/icons/iir2d-workbench.svg"));
}

}  // namespace workbench
