/** The code owners of a file, and what is wrong with the lines of a CODEOWNERS file. */

import {
  codeOwnersAt,
  isOwnersFile,
  type OwnedBy,
  type OwnerError,
  type OwnerFault,
  ownedAmong,
  TooMuchToCompare,
} from '../../../features/repository/code-owners/code-owners.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { translated } from '../../../html/sentences.ts'

const faults: Record<OwnerFault, string> = translated({
  missing_section_name: 'The section has no name.',
  invalid_section_format: 'The section has no end: ] is missing.',
  invalid_approval_requirement: 'The number of approvals must be from 1 to 999.',
  malformed_entry_owner: 'An owner must be @user, @group, @@role or an address; others are ignored.',
  missing_entry_owner: 'Nobody owns what the line names.',
  file_too_large: 'The file is larger than 1 MB: nothing in it counts.',
})

const maxErrors = 50

/** Null for a file that nobody owns, in a revision that names owners or doesn't. */
export async function ownersOfFile(repo: Repo, { commit, path }: { commit: string; path: string }): Promise<Html | null> {
  const owners = await codeOwnersAt(repo, commit)
  if (!owners) return null
  const errors = isOwnersFile(path) && owners.path === path && owners.errors.length > 0 ? errorList(owners.errors) : null
  const line = ownerLine(ownedBy(owners, path))
  return line || errors ? html`${line}${errors}` : null
}

function ownedBy(owners: Parameters<typeof ownedAmong>[0], path: string): OwnedBy[] {
  try {
    return ownedAmong(owners, [path])
  } catch (error) {
    if (error instanceof TooMuchToCompare) return []
    throw error
  }
}

function ownerLine(owned: readonly OwnedBy[]): Html | null {
  if (owned.length === 0) return null
  const parts = owned.map(({ section, entry }, index) => {
    const where = section.name !== null && html` <span class="hint">(<bdi>${section.name}</bdi>)</span>`
    return html`${index > 0 && ' · '}${entry.owners.map((owner, at) => html`${at > 0 && ', '}${ownerName(owner)}`)}${where}`
  })
  return html`<p class="hint">Code owners: ${parts}</p>`
}

/** A user or a group leads to their page; addresses and roles have none. */
function ownerName(owner: string): Html {
  const path = /^@(?!@)(.+)$/.exec(owner)?.[1]
  return path === undefined ? html`<bdi>${owner}</bdi>` : html`<a href="/${path}"><bdi>${owner}</bdi></a>`
}

function errorList(errors: readonly OwnerError[]): Html {
  return html`
    <details class="problems" open>
      <summary>${count(errors.length, 'problem')} in this file</summary>
      <ul>
        ${errors.slice(0, maxErrors).map(({ line, fault }) => html`<li><a href="#L${line}">Line ${line}</a>: ${faults[fault]}</li>`)}
      </ul>
    </details>
  `
}
