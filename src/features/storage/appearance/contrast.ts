/** Which colour a text has on a ground, so that it can be read. */

/** The minimum for text by the accessibility guidelines (WCAG, level AA). */
const least = 4.5

/** The wanted colour where it can be read on the ground, otherwise black or white, whichever is further from it. */
export function readableOn(ground: string, wanted: string): string {
  if (contrast(ground, wanted) >= least) return wanted
  return contrast(ground, '#000000') >= contrast(ground, '#ffffff') ? '#000000' : '#ffffff'
}

/** From 1, for the same colour twice, to 21; of colours such as `#fff` or `#ffffff`. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const digits = color.slice(1)
  const width = digits.length / 3
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((index) => {
    const part = digits.slice(index * width, (index + 1) * width)
    const share = Number.parseInt(width === 1 ? part + part : part, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
