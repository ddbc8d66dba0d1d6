/** The code owners of a file, and what is wrong with the lines of a CODEOWNERS file. */

import {
  codeOwnersAt,
  isOwnersFile,
  type OwnedBy,
  type OwnerError,
  ownedAmong,
  ownerFaultWords,
  TooMuchToCompare,
} from '../../../features/repository/code-owners/code-owners.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { declared } from '../../../html/sentences.ts'

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
        ${errors
          .slice(0, maxErrors)
          .map(({ line, fault }) => html`<li><a href="#L${line}">Line ${line}</a>: ${declared(ownerFaultWords[fault])}</li>`)}
      </ul>
    </details>
  `
}
