package fakenetwork

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/http"
	"strings"
)

// takesSVG reports whether a client shows SVG. Browsers do; a service that shows images to
// others takes formats without scripts only.
func takesSVG(r *http.Request) bool {
	accepted := r.Header.Get("Accept")
	return accepted == "" || strings.Contains(accepted, "image/svg+xml") || strings.Contains(accepted, "*/*")
}

// raster is a drawing of pictures as points: inside are those of its second colour.
type raster struct {
	width, height int
	inside        func(x, y float64) bool
}

// rasters are the drawings by kind.
var rasters = map[string]raster{
	"members": {64, 64, func(x, y float64) bool {
		return math.Hypot(x-32, y-25) <= 11 || y <= 62 && math.Hypot((x-32)/22, (y-62)/21) <= 1
	}},
	"companies": {64, 64, func(x, y float64) bool {
		window := y >= 34 && y < 40 && math.Mod(x-14, 11) >= 8
		return x >= 14 && x < 50 && y < 52 && y >= 24-8*math.Mod(x-14, 12)/12 && !window
	}},
	"posts": {640, 320, func(x, y float64) bool {
		hills := 130 + 70*math.Abs(math.Sin(x/90)) + x/12
		return math.Hypot(x-500, y-70) <= 42 || y > hills
	}},
}

// writePNG draws a picture in two hues.
func writePNG(w io.Writer, kind string, hue uint64) error {
	shape, bright, dark := rasters[kind], colourOf(hue, 0.85), colourOf((hue+40)%360, 0.5)
	picture := image.NewPaletted(image.Rect(0, 0, shape.width, shape.height), color.Palette{bright, dark})
	for i := range picture.Pix {
		if shape.inside(float64(i%shape.width), float64(i/shape.width)) {
			picture.Pix[i] = 1
		}
	}
	return png.Encode(w, picture)
}

// colourOf returns the colour of a hue in degrees, and of a lightness from 0 to 1.
func colourOf(hue uint64, light float64) color.Color {
	part := func(shift float64) uint8 {
		k := math.Mod(shift+float64(hue)/30, 12)
		return uint8(255 * (light - 0.5*min(light, 1-light)*max(-1, min(k-3, 9-k, 1))))
	}
	return color.RGBA{part(0), part(8), part(4), 255}
}
