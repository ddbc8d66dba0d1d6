/** Linked issues. */

import { canManageIssue } from '../../../access/issues.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import { type LinkedIssue, linkTypes, listLinked, typeSeenFrom } from '../../../features/planning/issue-links/issue-links.ts'
import { describeIssues } from '../../../features/planning/issues/issues.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type Choice, field, form, postButton, problemsOf, select, untouched } from '../../frame/forms.ts'
import { stateTag } from './parts.ts'
import type { IssueSeen } from './seen.ts'
import { sentences } from './sentences.ts'

const maxLinks = 100

const labels: Record<(typeof linkTypes)[number], string> = translated({
  relates_to: 'Relates to',
  blocks: 'Blocks',
  is_blocked_by: 'Is blocked by',
})

/** At most seven statements. */
export async function relatedView(seen: IssueSeen, refused: Typed | null): Promise<Html | null> {
  const { app, user, project, level, issue, token } = seen
  const { rows, total } = await listLinked(app.db, user, issue.id, { limit: maxLinks, offset: 0 })
  const isAllowed = user !== null && canManageIssue({ level }) && !project.archived
  if (rows.length === 0 && !isAllowed) return null
  const paths = new Map((await describeIssues(app.db, user, rows)).map(({ issue: { id }, project_path }) => [id, project_path]))
  const address = `${issueAddress(project, issue.iid)}/links`
  const row = (linked: LinkedIssue) => {
    const full_path = paths.get(linked.id) ?? ''
    const reference = full_path === project.full_path ? `#${linked.iid}` : `${full_path}#${linked.iid}`
    return html`
      <li>
        <span class="tag">${labels[typeSeenFrom(issue.id, linked)]}</span>
        <div class="what">
          <a href="${issueAddress({ full_path }, linked.iid)}"><bdi>${linked.title}</bdi></a>
          <span class="hint">${reference}</span>
        </div>
        <div class="facts">
          ${stateTag(linked)}
          ${
            isAllowed &&
            postButton(html`Remove<span class="unseen"> the link to ${reference}</span>`, {
              action: `${address}/${linked.link_id}/delete`,
              token,
            })
          }
        </div>
      </li>
    `
  }
  return html`
    <section class="related" aria-labelledby="related">
      <h2 id="related">Linked issues <span class="hint">${count(total, 'issue')}</span></h2>
      ${rows.length > 0 && html`<ul class="rows">${rows.map(row)}</ul>`}
      ${isAllowed && linkForm(address, token, refused)}
    </section>
  `
}

function linkForm(address: string, token: Html, refused: Typed | null): Html {
  const typed = refused ?? untouched
  const types = linkTypes.map((type): Choice => [type, labels[type]])
  return html`
    <details class="edit"${refused && html` open`}>
      <summary>Link an issue</summary>
      ${problemsOf(typed.errors, ['target', 'link_type'])}
      ${form(
        { action: address, token, submit: t`Link` },
        html`
          <div class="filter-fields">
            ${select(t`How`, 'link_type', typed, types)}
            ${field(t`Issue`, 'target', typed, {
              required: true,
              autocomplete: 'off',
              hint: sentences.linkHint,
            })}
          </div>
        `,
      )}
    </details>
  `
}
