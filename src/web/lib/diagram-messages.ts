/** Messages between a page and the frame that draws its diagrams. */

export interface Asked {
  /** From 1. */
  id: number
  text: string
  isDark: boolean
}

export interface Drawn {
  /** 0 when the frame is ready. */
  id: number
  /** SVG; null if the text is no diagram. */
  picture: string | null
}
