//! Pictures in SVG as PNG.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

/// The font of the labels, reduced to the characters that pictures have.
const FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");
const FONT_NAME: &str = "DejaVu Sans";

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    Options { fontdb: Arc::new(fonts), font_family: FONT_NAME.to_owned(), ..Options::default() }
});

/// The most pixels of a picture, which take four bytes each.
const MAX_PIXELS: u64 = 1 << 25;

/// Returns a picture in SVG as PNG: this many pixels wide, or as wide as it says itself. `None` if it is
/// not valid SVG or has too many pixels.
pub fn png(svg: &str, width: Option<u32>) -> Option<Vec<u8>> {
    let tree = Tree::from_str(svg, &OPTIONS).ok()?;
    let size = tree.size().to_int_size();
    let size = width.map_or(Some(size), |width| size.scale_to_width(width))?;
    if u64::from(size.width()) * u64::from(size.height()) > MAX_PIXELS {
        return None;
    }
    let mut pixels = Pixmap::new(size.width(), size.height())?;
    let [x, y] =
        [size.width() as f32 / tree.size().width(), size.height() as f32 / tree.size().height()];
    resvg::render(&tree, Transform::from_scale(x, y), &mut pixels.as_mut());
    pixels.encode_png().ok()
}
