/** The names of access levels and of levels of visibility. */
import { roleOf } from '../../access/levels.ts'
import type { Visibility } from '../../db/tables.ts'
import { type Html, html } from '../../html/html.ts'
import { declared, translated } from '../../html/sentences.ts'

/** The name of the role of an access level. */
export function roleName(level: number): string {
  return declared(roleOf(level))
}

/** Levels of visibility as choices. */
export const visibilityNames: Readonly<Record<Visibility, string>> = translated({
  private: 'Private',
  internal: 'Internal',
  public: 'Public',
})

const tags: Readonly<Record<string, { name: string; meaning: string }>> = translated({
  private: { name: 'private', meaning: 'Members only' },
  internal: { name: 'internal', meaning: 'For everybody signed in' },
  public: { name: 'public', meaning: 'For everybody' },
})

/** A level of visibility beside what has it. */
export function visibilityTag(level: string): Html {
  const { name = level, meaning = '' } = tags[level] ?? {}
  return html`<span class="tag" title="${meaning}">${name}</span>`
}
