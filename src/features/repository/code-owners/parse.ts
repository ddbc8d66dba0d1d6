/** Reads a CODEOWNERS file: its sections, who owns which paths, and the lines that are no rules. Pure. */

/** The file has one of these paths; the first that is there counts. */
export const codeOwnersPaths = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const

/** Nothing is read from a larger file. */
export const maxCodeOwners_bytes = 1024 * 1024

export type OwnerFault =
  | 'missing_section_name'
  | 'invalid_section_format'
  | 'invalid_approval_requirement'
  | 'malformed_entry_owner'
  | 'missing_entry_owner'
  | 'file_too_large'

export interface OwnerError {
  /** From 1. */
  line: number
  fault: OwnerFault
}

export interface OwnerEntry {
  line: number
  /** As it is written, without escapes. */
  pattern: string
  /** `@user`, `@group/sub`, `@@maintainer`, `person@example.com`; those of the section if it has none. */
  owners: readonly string[]
}

export interface OwnerSection {
  /** Null for what stands before the first section. */
  name: string | null
  isOptional: boolean
  approvals: number
  entries: OwnerEntry[]
  /** Paths that nobody of this section owns, whatever else it says. */
  exclusions: OwnerEntry[]
}

export interface CodeOwners {
  sections: OwnerSection[]
  errors: OwnerError[]
}

interface Reading extends CodeOwners {
  byName: Map<string, OwnerSection & { owners: readonly string[] }>
  current: OwnerSection & { owners: readonly string[] }
}

export function parseCodeOwners(text: string): CodeOwners {
  const current = { ...sectionOf(null, false, 1), owners: [] as readonly string[] }
  if (text.length > maxCodeOwners_bytes) return { sections: [], errors: [{ line: 1, fault: 'file_too_large' }] }
  const reading: Reading = { sections: [current], errors: [], byName: new Map(), current }
  for (const [index, line] of text.split('\n').entries()) readLine(reading, line.trim(), index + 1)
  const sections = reading.sections.filter(({ entries }) => entries.length > 0)
  return {
    sections: sections.map(({ name, isOptional, approvals, entries, exclusions }) => ({
      name,
      isOptional,
      approvals,
      entries,
      exclusions,
    })),
    errors: reading.errors,
  }
}

function sectionOf(name: string | null, isOptional: boolean, approvals: number): OwnerSection {
  return { name, isOptional, approvals, entries: [], exclusions: [] }
}

const header = /^(\^?)\[([^\]]*)\](?:\[([^\]]*)\])?(.*)$/

function readLine(reading: Reading, line: string, number: number): void {
  if (line === '' || line.startsWith('#')) return
  const found = header.exec(line)
  // A path may begin with a set of characters, as globs have them.
  if (found && /^\s|^$/.test(found[4] ?? '')) readHeader(reading, found, number)
  else if (line.startsWith('^[')) reading.errors.push({ line: number, fault: 'invalid_section_format' })
  else readEntry(reading, line, number)
}

function readHeader(reading: Reading, [, caret, title = '', count, rest = '']: RegExpExecArray, line: number): void {
  const fail = (fault: OwnerFault) => reading.errors.push({ line, fault })
  const name = title.trim()
  if (name === '') fail('missing_section_name')
  const isCount = count === undefined || /^[1-9][0-9]{0,2}$/.test(count)
  if (!isCount) fail('invalid_approval_requirement')
  const key = name.toLowerCase()
  const { owners, isWhole } = ownersIn(wordsOf(rest))
  if (!isWhole) fail('malformed_entry_owner')
  const known = reading.byName.get(key)
  if (known) {
    // The first header of a section says how many must approve; a later one may bring other owners for its own lines.
    reading.current = { ...known, owners }
    return
  }
  const section = { ...sectionOf(name, caret === '^', isCount ? Number(count ?? 1) : 1), owners }
  reading.byName.set(key, section)
  reading.sections.push(section)
  reading.current = section
}

function readEntry({ current, errors }: Reading, line: string, number: number): void {
  const [written = '', ...rest] = wordsOf(line)
  const isExclusion = written.startsWith('!')
  const pattern = (isExclusion ? written.slice(1) : written).replace(/\\([ #])/g, '$1')
  if (isExclusion) {
    current.exclusions.push({ line: number, pattern, owners: [] })
    return
  }
  const { owners, isWhole } = ownersIn(rest)
  if (!isWhole) errors.push({ line: number, fault: 'malformed_entry_owner' })
  const all = rest.length === 0 ? current.owners : owners
  if (all.length === 0) errors.push({ line: number, fault: 'missing_entry_owner' })
  current.entries.push({ line: number, pattern, owners: all })
}

/** Split at spaces that aren't escaped, without a comment at the end. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:\\.|[^\s\\]|\\$)+/g) ?? []
  const comment = words.findIndex((word, index) => index > 0 && word.startsWith('#'))
  return comment < 0 ? words : words.slice(0, comment)
}

const name = /^@[\w.-]+(?:\/[\w.-]+)*$/
const role = /^@@(?:developer|maintainer|owner)s?$/
const address = /^[^@\s]+@[^@\s]+$/

function ownersIn(words: readonly string[]): { owners: string[]; isWhole: boolean } {
  const owners = words.filter((word) => name.test(word) || role.test(word) || address.test(word))
  return { owners: [...new Set(owners)], isWhole: owners.length === words.length }
}
