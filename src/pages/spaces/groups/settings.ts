/** The settings of a group. */

import type { LocatedGroup } from '../../../access/find.ts'
import { groupAddress } from '../../../addresses/places.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { listGroups } from '../../../features/spaces/groups/groups.ts'
import { avatarUrl } from '../../../features/storage/avatars/avatars.ts'
import { storageOf } from '../../../features/storage/quotas/quotas.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { GroupGranted, SignedIn } from '../../../http/declare/rules.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { checkbox, dangerous, field, form, postButton, problemsOf, radios, textArea, untouched } from '../../frame/forms.ts'
import { avatar } from '../../frame/parts.ts'
import { limitForm, storageLines } from '../../frame/storage.ts'
import { groupView } from '../../group/group-view.ts'
import {
  archivedWithParent,
  avatarHint,
  deletedOn,
  graceHint,
  lfsHint,
  parentHint,
  renameHint,
  requestsHint,
  secondFactorHint,
  whatArchiving,
  whatDeletion,
  whatExport,
  whatRenaming,
  whatRestoring,
  whatTransfer,
} from './sentences.ts'
import { byField, visibilityChoices } from './visibility.ts'

export type Owned = Visit & GroupGranted & SignedIn

export const groupLimits = ['storage_size_limit', 'repository_size_limit'] as const

/** The forms of the page. */
export type SettingsForm = 'general' | 'path' | 'transfer' | 'delete' | 'limits'

/** With the submitted values of one of the forms. */
export async function settingsView(context: Owned, typed: Partial<Record<SettingsForm, Typed>> = {}): Promise<View> {
  const [general, transfer, storage] = await Promise.all([
    generalForm(context, byField(typed.general ?? untouched)),
    transferForm(context, typed.transfer ?? untouched),
    storagePart(context, typed.limits ?? untouched),
  ])
  return groupView(
    { ...context, tab: 'settings' },
    {
      title: t`Settings`,
      main: html`
        <div class="page-form">
          <h1>Settings</h1>
          ${general}
          <h2>Storage</h2>
          ${storage}
          <h2>Export</h2>
          <p>${whatExport()}</p>
          <p><a class="button" href="${addressOf(context.group, 'export')}">Export this group</a></p>
          <h2>Path, parent, archiving and deletion</h2>
          ${dangerous(t`Change path`, pathForm(context, typed.path ?? untouched), typed.path !== undefined)}
          ${dangerous(t`Transfer group`, transfer, typed.transfer !== undefined)}
          ${dangerous(context.group.archived ? t`Unarchive group` : t`Archive group`, archivingForm(context))}
          ${context.group.marked_for_deletion_at !== null && dangerous(t`Restore group`, restoreForm(context), true)}
          ${dangerous(t`Delete group`, deletionForm(context, typed.delete ?? untouched), typed.delete !== undefined)}
        </div>
      `,
    },
  )
}

function addressOf({ full_path }: LocatedGroup, page: string): string {
  return groupAddress(full_path, page)
}

async function generalForm({ app, group, user, token }: Owned, typed: Typed): Promise<Html> {
  // The parent's visibility is checked when the form is submitted: looking it up for the choices would cost a statement.
  const { choices, usual } = visibilityChoices(await readSettings(app.db), user, null, group.visibility)
  const picture = avatarUrl(app.config, 'group', group)
  return html`
    ${problemsOf(typed.errors, ['name', 'description', 'visibility', 'avatar', 'two_factor_grace_period'])}${form(
      { action: addressOf(group, 'edit'), token, submit: t`Save changes`, files: true },
      html`
        ${field(t`Name`, 'name', typed, { value: group.name, required: true, autocomplete: 'off' })}
        ${textArea(t`Description`, 'description', typed, { value: group.description, rows: 3 })}
        ${avatar(picture, 48)}${field(t`Picture`, 'avatar', typed, {
          type: 'file',
          accept: 'image/*',
          hint: avatarHint(),
        })}
        ${radios(t`Visibility`, 'visibility', typed, choices, usual)}
        ${checkbox(t`Users can request access`, 'request_access_enabled', typed, {
          value: group.request_access_enabled ? 'true' : 'false',
          hint: requestsHint(),
        })}
        ${checkbox(t`Large files (Git LFS)`, 'lfs_enabled', typed, { value: group.lfs_enabled ? 'true' : 'false', hint: lfsHint() })}
        ${checkbox(t`Members need a second factor`, 'require_two_factor_authentication', typed, {
          value: group.require_two_factor_authentication ? 'true' : 'false',
          hint: secondFactorHint(),
        })}
        ${field(t`Time to set it up`, 'two_factor_grace_period', typed, {
          value: String(group.two_factor_grace_period),
          type: 'number',
          hint: graceHint(),
        })}
      `,
    )}${picture !== null && postButton(t`Remove picture`, { action: addressOf(group, 'remove_avatar'), token })}
  `
}

async function storagePart({ app, group, user, token }: Owned, typed: Typed): Promise<Html> {
  const storage = await storageOf(app, group.id)
  const action = addressOf(group, 'limits')
  return html`
    ${storageLines(storage)}
    ${user.admin && limitForm(storage, { action, token, names: groupLimits }, typed)}
  `
}

function pathForm({ group, token }: Owned, typed: Typed): Html {
  return html`<p>${whatRenaming()}</p>${problemsOf(typed.errors, ['path'])}${form(
    { action: addressOf(group, 'path'), token, submit: t`Change path`, kind: 'danger' },
    field(t`Path`, 'path', typed, { value: group.path, required: true, autocomplete: 'off', hint: renameHint() }),
  )}`
}

/** Limit of groups that are suggested as a new parent. */
const maxOffered = 100

async function transferForm({ app, group, user, token }: Owned, typed: Typed): Promise<Html> {
  const owned = await listGroups(app.db, user, { owned: true, order_by: 'path', sort: 'asc' }, { limit: maxOffered, offset: 0 })
  const targets = owned.rows.filter(({ full_path }) => !`${full_path}/`.startsWith(`${group.full_path}/`))
  return html`
    <p>${whatTransfer()}</p>
    ${problemsOf(typed.errors, ['parent'])}
    ${
      targets.length > 0 &&
      html`
        <p class="hint">
          Groups of yours: ${targets.map(({ full_path }, index) => html`${index > 0 && ', '}<code>${full_path}</code>`)}
        </p>
      `
    }
    ${form(
      { action: addressOf(group, 'transfer'), token, submit: t`Transfer group`, kind: 'danger' },
      field(t`New parent`, 'parent', typed, { autocomplete: 'off', hint: parentHint() }),
    )}
  `
}

function archivingForm({ group, token }: Owned): Html {
  if (group.archived && !group.archived_by_itself) return html`<p>${archivedWithParent()}</p>`
  const [verb, label] = group.archived ? (['unarchive', t`Unarchive group`] as const) : (['archive', t`Archive group`] as const)
  return html`<p>${whatArchiving()}</p>${postButton(label, { action: addressOf(group, verb), token, kind: 'danger' })}`
}

function restoreForm({ group, token }: Owned): Html {
  const button = postButton(t`Restore`, { action: addressOf(group, 'restore'), token, kind: 'primary' })
  return html`<p>${deletedOn(group.name, group.deletion_due_at?.slice(0, 10) ?? '')} ${whatRestoring()}</p>${button}`
}

function deletionForm({ group, token }: Owned, typed: Typed): Html {
  return html`<p>${whatDeletion()}</p>${problemsOf(typed.errors, ['confirm'])}${form(
    { action: addressOf(group, 'delete'), token, submit: t`Delete group`, kind: 'danger' },
    field(t`Type ${group.full_path} to confirm`, 'confirm', typed, { required: true, autocomplete: 'off' }),
  )}`
}
