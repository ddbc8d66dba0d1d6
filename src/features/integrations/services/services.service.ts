/** Rules of integrations: required fields, what is stored, and what follows for the project. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Integration } from '../../../db/tables.ts'
import { Failure, invalid } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { acceptTarget } from '../../instance/targets.ts'
import { type Field, type Kind, type Settings, textOf, type Value } from '../kinds/kinds.ts'
import { followElsewhere, leadsElsewhere } from './elsewhere.ts'
import { propagateJob } from './services.jobs.ts'
import { deleteIntegration, integrationAt, storeHearing, storeIntegration } from './services.queries.ts'
import { defaultSettings, type Flags, flagsOf, hearingOf, sealSettings, settingsOf } from './settings.ts'

export interface Sent {
  active?: boolean | undefined
  fields: Settings
  flags: Flags
}

/**
 * Throws 400 if fields are missing, or a URL is not allowed. A null project means the template. @param keeping a secret that is not sent is
 * kept, unless a URL changes: a password must not go to another host
 */
export async function setIntegration(
  app: App,
  project_id: number | null,
  kind: Kind,
  sent: Sent,
  { keeping }: { keeping: boolean },
): Promise<Integration> {
  const earlier = await integrationAt(app.db, project_id, kind.slug)
  const before = earlier ? settingsOf(app, earlier) : defaultSettings(kind)
  const settings = keeping ? keptSettings(kind, before, sent.fields) : sent.fields
  if (sent.active !== false || !keeping) requireFields(kind, settings)
  const stored = withoutEmpty({ ...withoutSecrets(kind, before), ...settings })
  for (const { name, isUrl } of kind.fields)
    if (isUrl && textOf(sent.fields, name) !== '') await acceptTarget(app, name, textOf(sent.fields, name))
  const active = sent.active ?? true
  const flags = { ...(earlier && flagsOf(earlier)), ...sent.flags }
  return inTransaction(app.db, async (tx) => {
    const row = await storeIntegration(
      tx,
      { project_id, slug: kind.slug },
      { active, settings: sealSettings(app, stored), events: JSON.stringify(flags) },
    )
    await follow(app, tx, kind, row, stored)
    return row
  })
}

export async function removeIntegration(app: App, { id, project_id }: Integration): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await deleteIntegration(tx, id)
    if (project_id !== null) await followElsewhere(app, tx, project_id)
  })
}

async function follow(app: App, tx: Tx, kind: Kind, row: Integration, settings: Settings): Promise<void> {
  if (row.project_id === null) {
    if (row.active) await enqueue(tx, propagateJob, { slug: kind.slug })
    return
  }
  if (kind.act) await storeHearing(tx, row, hearingOf(kind, row.active, flagsOf(row)), settings.enable_ssl_verification !== false)
  if (leadsElsewhere(kind)) await followElsewhere(app, tx, row.project_id)
}

function requireFields({ fields }: Kind, settings: Settings): void {
  const absent = fields.filter(({ name, required }) => required && textOf(settings, name) === '').map(({ name }) => `${name} is missing`)
  if (absent.length > 0) throw new Failure('invalid', absent.join(', '), { body: { error: absent.join(', ') } })
  for (const field of fields) requireValue(field, settings[field.name])
}

function requireValue({ name, choices }: Field, value: Value | undefined): void {
  if (!choices || value === undefined || value === '') return
  if (!choices.some(([choice]) => choice === String(value))) throw invalid({ [name]: ['does not have a valid value'] })
}

function keptSettings({ fields }: Kind, before: Settings, sent: Settings): Settings {
  const isKept = ({ name, secret }: Field) => secret === true && textOf(sent, name) === '' && textOf(before, name) !== ''
  const leadsOn = fields.every(
    (field) => !field.isUrl || sent[field.name] === undefined || isKept(field) || textOf(sent, field.name) === textOf(before, field.name),
  )
  const kept = leadsOn ? fields.filter(isKept) : []
  return { ...sent, ...Object.fromEntries(kept.map(({ name }) => [name, before[name]])) }
}

function withoutSecrets({ fields }: Kind, settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !fields.find((field) => field.name === name)?.secret))
}

function withoutEmpty(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined && value !== ''))
}
