/** Positions: a place in a diff, which is identified by its commits. */

/** The commits of a diff, which shows the changes from `base_sha` to `head_sha`. */
export interface DiffRefs {
  /** Null for unrelated histories: the diff then shows everything in `head_sha`. */
  base_sha: string | null
  /** The tip of the target; equal to the base in a diff of one commit, or of two versions. */
  start_sha: string
  head_sha: string
}

interface InFile extends DiffRefs {
  /** Both paths are equal unless the file was renamed. */
  old_path: string
  new_path: string
}

/** One of both lines may be null: an added line has no old one, a removed line no new one. */
export interface TextPosition extends InFile {
  position_type: 'text'
  old_line: number | null
  new_line: number | null
  line_range: LineRange | null
}

/** A point of an image of that size, in pixels. */
export interface ImagePosition extends InFile {
  position_type: 'image'
  width: number
  height: number
  x: number
  y: number
}

/** The whole file. */
export interface FilePosition extends InFile {
  position_type: 'file'
}

export type Position = TextPosition | ImagePosition | FilePosition

/** A range of lines; the position itself names the last one. */
export interface LineRange {
  start: LineEnd
  end: LineEnd
}

export interface LineEnd {
  line_code: string | null
  type: 'new' | 'old' | 'expanded' | null
  old_line: number | null
  new_line: number | null
}

export function sameRefs(one: DiffRefs, other: DiffRefs): boolean {
  return one.base_sha === other.base_sha && one.start_sha === other.start_sha && one.head_sha === other.head_sha
}

export function refsOf({ base_sha, start_sha, head_sha }: DiffRefs): DiffRefs {
  return { base_sha, start_sha, head_sha }
}

/** The stored form: JSON in which equal positions have the same text. */
export function positionText(position: Position): string {
  const { base_sha, start_sha, head_sha, old_path, new_path, position_type } = position
  const common = { base_sha, start_sha, head_sha, old_path, new_path, position_type }
  if (position.position_type === 'image') {
    const { width, height, x, y } = position
    return JSON.stringify({ ...common, width, height, x, y })
  }
  if (position.position_type === 'file') return JSON.stringify(common)
  const { old_line, new_line, line_range } = position
  return JSON.stringify({ ...common, old_line, new_line, line_range })
}

/** Parses the text that `positionText` wrote. */
export function positionOf(text: string): Position {
  return JSON.parse(text) as Position
}
