/** Renders TeX formulas as MathML by Temml. Its output is filtered element by element, since its input comes from users. */
import { createRequire } from 'node:module'
import sanitizeHtml, { type Attributes } from 'sanitize-html'
import type Temml from 'temml'

/** Longer formulas are displayed as written. */
const max_chars = 4_000

let temml: typeof Temml | null = null

/** MathML; null if the formula is invalid or too long. */
export function renderMath(tex: string, displayMode: boolean): string | null {
  if (tex.trim() === '' || tex.length > max_chars) return null
  // Loaded with the first formula: most texts have none.
  temml ??= createRequire(import.meta.url)('temml') as typeof Temml
  try {
    // Each formula gets its own macros, so a definition applies only to itself.
    const made = temml.renderToString(tex, { displayMode, throwOnError: true, trust: false, maxSize: [20, 20], maxExpand: 500, macros: {} })
    return sanitizeHtml(made, options).trim()
  } catch {
    return null
  }
}

const presentation = ['mathcolor', 'mathbackground', 'mathvariant', 'displaystyle', 'scriptlevel']
const spacing = ['lspace', 'rspace', 'width', 'height', 'depth', 'voffset']
const operators = ['accent', 'fence', 'form', 'largeop', 'movablelimits', 'separator', 'stretchy', 'symmetric', 'minsize', 'maxsize']
const elements = ['math', 'mrow', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'ms', 'mfrac', 'msqrt', 'mroot', 'mstyle', 'mpadded', 'mphantom']
const scripts = ['msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts', 'mprescripts', 'none', 'merror']
const tables = ['mtable', 'mtr', 'mtd']
const classes = [
  'tml-cancel',
  'tml-display',
  'tml-fbox',
  'tml-jot',
  'tml-left',
  'tml-overline',
  'tml-right',
  'tml-underline',
  'tml-xcancel',
]

/** A longer length could place the formula over the page around it. */
const length = /^-?\d{0,2}(\.\d+)?(em|ex|pt|px|%)$/
const lengths = new Set([...spacing, 'minsize', 'maxsize', 'linethickness'])

const options = {
  allowedTags: [...elements, ...scripts, ...tables],
  allowedAttributes: {
    '*': [...presentation, 'class'],
    math: ['display'],
    mo: [...operators, 'lspace', 'rspace'],
    mspace: spacing,
    mpadded: spacing,
    mfrac: ['linethickness'],
    mover: ['accent'],
    munder: ['accentunder'],
    mtable: ['columnalign'],
    mtd: ['columnalign', 'columnspan', 'rowspan'],
  },
  allowedClasses: { '*': classes },
  allowedSchemes: [],
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  nestingLimit: 200,
  transformTags: { '*': withoutStyle },
}

/** Styles are forbidden on pages; the color has an attribute of its own. */
function withoutStyle(tagName: string, { style, ...attribs }: Attributes) {
  const colour = /(?:^|;)color:(#[0-9a-f]{3,8}|[a-z]+);?/i.exec(style ?? '')?.[1]
  const kept = Object.entries(attribs).filter(([name, value]) => !lengths.has(name) || length.test(value))
  return { tagName, attribs: { ...Object.fromEntries(kept), ...(colour && { mathcolor: colour }) } }
}
