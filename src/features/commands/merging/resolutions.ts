/** How a user resolves a file in conflict: by choosing a side for each section, or by the whole text. */
import { type ConflictedFile, type Section, sectionsOf, withMarkers } from '../../../git/write/conflicts.ts'
import type { MergeSides } from '../../../git/write/merge.ts'
import { withBreaksOf, withLineFeeds } from '../../../text/line-breaks.ts'

/** The side of a section; `both` means the lines of the source branch, then those of the target branch. */
export type Side = 'ours' | 'theirs' | 'both'

export interface FileResolution {
  path: string
  /** By section, in order; null if none was chosen. */
  sides: ReadonlyArray<Side | null>
  /** The text as it was shown, or as edited: if it has no markers, it counts and the sides don't. Null if none was sent. */
  text: string | null
}

/** A file in conflict, in the form for pages. */
export interface ConflictShown extends ConflictedFile {
  /** Null if it can't be resolved section by section. */
  sections: Section[] | null
  /** With markers that name branches; empty if it can't be resolved as text. */
  text: string
}

export interface Labels {
  ours: string
  theirs: string
}

/** `topic 1a2b3c4d`: the label of a side in markers. */
export function labelOf(branch: string, oid: string): string {
  return `${branch} ${oid.slice(0, 8)}`
}

export function presentConflict(file: ConflictedFile, sides: MergeSides, labels: Labels): ConflictShown {
  if (file.content === null) return { ...file, sections: null, text: '' }
  return { ...file, sections: sectionsOf(file.content, sides), text: withMarkers(file.content, sides, labels) }
}

/** The text that results from a resolution, or why there is none. */
export type Resolved = { kind: 'done'; text: string } | { kind: 'markers left' | 'not resolved' }

/** An edited text gets the line breaks of the file. */
export function resolvedText({ content, sections, text: shown }: ConflictShown, { sides, text }: FileResolution, labels: Labels): Resolved {
  if (content === null) return { kind: 'not resolved' }
  if (text !== null) {
    const edited = withBreaksOf(text, content)
    if (!hasMarkers(edited, labels)) return { kind: 'done', text: edited }
    if (withLineFeeds(text).trimEnd() !== withLineFeeds(shown).trimEnd()) return { kind: 'markers left' }
  }
  const chosen = sections && chosenLines(sections, sides)
  if (!chosen) return { kind: 'not resolved' }
  const end = content.endsWith('\n') && chosen.length > 0 ? '\n' : ''
  return { kind: 'done', text: chosen.join('\n') + end }
}

/** Null if a section has no side yet. */
function chosenLines(sections: readonly Section[], sides: ReadonlyArray<Side | null>): string[] | null {
  const lines: string[] = []
  let at = 0
  for (const section of sections) {
    if (section.kind === 'common') {
      lines.push(...section.lines)
      continue
    }
    const side = sides[at] ?? null
    at += 1
    if (side === null) return null
    if (side !== 'theirs') lines.push(...section.ours)
    if (side !== 'ours') lines.push(...section.theirs)
  }
  return lines
}

function hasMarkers(text: string, { ours, theirs }: Labels): boolean {
  return text.split(/\r?\n/).some((line) => line.startsWith(`<<<<<<< ${ours}`) || line.startsWith(`>>>>>>> ${theirs}`))
}
