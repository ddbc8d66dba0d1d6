/** Actions that move, archive or delete a project: each behind its summary, with an explanation. */

import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { field, form, postButton, problemsOf, select } from '../../frame/forms.ts'
import type { Parts } from './edit.parts.ts'
import * as say from './edit.sentences.ts'

export function dangers(parts: Parts): Html {
  const { project, isOwner } = parts
  return html`
    <p><a href="/${project.full_path}/export">Export the project</a></p>
    ${section(t`Change the path`, parts.typed('path'), say.renameMeaning(), pathForm(parts))}
    ${isOwner && (project.marked_for_deletion_at === null ? archiveSection(parts) : restoreSection(parts))}
    ${isOwner && section(t`Transfer to another namespace`, parts.typed('transfer'), say.transferMeaning(), transferForm(parts))}
    ${isOwner && project.forked_from_id !== null && unforkSection(parts)}
    ${isOwner && section(t`Delete the project`, parts.typed('delete'), deletionMeaning(parts), deleteForm(parts))}
  `
}

/** As `dangerous`, open if its form was rejected. */
function section(summary: string, typed: Typed, meaning: string, content: Html): Html {
  const isRefused = typed.errors.all.length + Object.keys(typed.errors.of).length > 0
  return html`
    <details class="dangerous"${isRefused && html` open`}>
      <summary>${summary}</summary>
      <p>${meaning}</p>
      ${problemsOf(typed.errors, ['path', 'namespace_id', 'confirm'])}${content}
    </details>
  `
}

function pathForm({ project, token, typed }: Parts): Html {
  const path = field(t`Path`, 'path', typed('path'), { value: project.path, required: true })
  return form({ action: `/${project.full_path}/edit/path`, token, submit: t`Change path`, kind: 'danger' }, path)
}

function archiveSection({ project, token }: Parts): Html | null {
  if (project.archived_by_group) return null
  const [verb, label, heading] = project.archived
    ? ['unarchive', t`Unarchive`, t`Unarchive the project`]
    : ['archive', t`Archive`, t`Archive the project`]
  const action = `/${project.full_path}/edit/${verb}`
  return html`
    <details class="dangerous">
      <summary>${heading}</summary>
      <p>${say.archiveMeaning()}</p>
      ${postButton(label, { action, token, kind: 'danger' })}
    </details>
  `
}

const deletionMeaning = ({ project }: Parts) => (project.marked_for_deletion_at === null ? say.deleteMeaning() : say.deleteNowMeaning())

function restoreSection({ project, token }: Parts): Html {
  const button = postButton(t`Restore`, { action: `/${project.full_path}/edit/restore`, token, kind: 'primary' })
  return html`<details class="dangerous" open><summary>Restore the project</summary><p>${say.restoreMeaning()}</p>${button}</details>`
}

function transferForm({ project, token, namespaces, typed }: Parts): Html {
  const choices = namespaces.filter(({ id }) => id !== project.namespace_id).map(({ id, full_path }) => [String(id), full_path] as const)
  if (choices.length === 0) return html`<p>${say.noOtherNamespace()}</p>`
  const where = select(t`Namespace`, 'namespace_id', typed('transfer'), choices)
  return form({ action: `/${project.full_path}/edit/transfer`, token, submit: t`Transfer`, kind: 'danger' }, where)
}

function unforkSection({ project, token }: Parts): Html {
  const button = postButton(t`Remove fork relation`, { action: `/${project.full_path}/edit/unfork`, token, kind: 'danger' })
  return html`<details class="dangerous"><summary>Remove the fork relation</summary><p>${say.unforkMeaning()}</p>${button}</details>`
}

function deleteForm({ project, token, typed }: Parts): Html {
  const confirm = field(say.typeToConfirm(project.full_path), 'confirm', typed('delete'), { required: true, autocomplete: 'off' })
  return form({ action: `/${project.full_path}/edit/delete`, token, submit: t`Delete project`, kind: 'danger' }, confirm)
}
