/** Tags as rows, and one of them as a page. */

import { canPush, type LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { tagAddress, tagsAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { Release } from '../../../db/tables.ts'
import { isProtectedTag, mayCreateTag, protectionOf } from '../../../features/repository/protected-refs/protected-refs.ts'
import { releasesOf } from '../../../features/repository/tags/tags.ts'
import type { AnnotatedTag, Commit } from '../../../git/objects/parse.ts'
import { readCommit, readTag } from '../../../git/objects/read.ts'
import { tagRevision } from '../../../git/refs/names.ts'
import type { Ref } from '../../../git/refs/refs.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Visit } from '../../frame/declaration.ts'
import { dangerous, form, hidden } from '../../frame/forms.ts'
import { badge, commitOfRef, downloadMenu } from './parts.ts'
import { tagSentences } from './sentences.ts'

export interface ShownTag extends Ref {
  /** The revision that means the tag and not a branch with the same name. */
  revision: string
  annotation: AnnotatedTag | null
  /** Null if the tag doesn't point to a commit. */
  last: Commit | null
  release: Release | null
  isProtected: boolean
  /** Whether the viewer may delete it. */
  isDeletable: boolean
  /** Whether the viewer may write notes for it. */
  isDescribable: boolean
}

/** Three statements for all of them, and no process for objects that are cached. */
export async function describeTags(app: App, { project, level, repo }: ProjectGranted, refs: readonly Ref[]): Promise<ShownTag[]> {
  const names = refs.map(({ name }) => name)
  const [releases, protection] = await Promise.all([releasesOf(app.db, project.id, names), protectionOf(app.db, project.id)])
  const pushes = canPush({ project, level })
  return Promise.all(
    refs.map(async (ref) => {
      const isProtected = isProtectedTag(protection, ref.name)
      return {
        ...ref,
        revision: tagRevision(ref.name),
        annotation: ref.commit === ref.oid ? null : await readTag(repo, ref.oid),
        last: ref.commit === null ? null : await readCommit(repo, ref.commit),
        release: releases.get(ref.name) ?? null,
        isProtected,
        // Must match the rules of pushes: a protected tag can't be deleted.
        isDeletable: pushes && may('change_tags', level) && !isProtected,
        isDescribable: pushes && mayCreateTag(protection, level, ref.name),
      }
    }),
  )
}

export function tagRows(visit: Visit, project: LocatedProject, tags: readonly ShownTag[]): Html {
  return html`<ul class="rows refs">${tags.map((tag) => tagRow(visit, project, tag))}</ul>`
}

function tagRow(visit: Visit, project: LocatedProject, tag: ShownTag): Html {
  const { name, annotation, last, release, isProtected, isDeletable } = tag
  const [title = ''] = annotation ? splitSignature(annotation.message).text.split('\n', 1) : []
  return html`
    <li>
      <div class="what">
        <a class="ref" href="${tagAddress(project, name)}"><bdi>${name}</bdi></a>
        ${release !== null && badge(t`release`)}${
          isProtected && badge(t`protected`)
        }${title !== '' && html` <bdi class="hint">${title}</bdi>`}
        <p>${last ? commitOfRef(project, last) : tagSentences.notCommit}</p>
      </div>
      <div class="facts">
        ${last !== null && downloadMenu(project, tag)}${isDeletable && tagDeletion(visit, project, tag)}
      </div>
    </li>
  `
}

export function tagDeletion({ token, address }: Visit, { full_path }: LocatedProject, { name, oid }: Ref, back = address): Html {
  return dangerous(
    html`Delete<span class="unseen"> <bdi>${name}</bdi></span>`,
    html`
      <p>${tagSentences.deletion}</p>
      ${form(
        { action: `${tagsAddress({ full_path })}/delete`, token, submit: t`Delete the tag`, kind: 'danger' },
        html`${hidden({ name, oid, back })}`,
      )}
    `,
  )
}

/** The message of a tag object has its signature at the end. */
export function splitSignature(message: string): { text: string; signature: string | null; kind: string } {
  const start = message.search(/^-----BEGIN (?:PGP|SSH) (?:SIGNATURE|MESSAGE)-----/m)
  const signature = start < 0 ? null : message.slice(start)
  return {
    text: (signature === null ? message : message.slice(0, start)).trim(),
    signature,
    kind: signature?.startsWith('-----BEGIN SSH') ? 'SSH' : 'OpenPGP',
  }
}
