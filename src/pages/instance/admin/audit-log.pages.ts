/** The audit log, filtered by author, entity and date. */

import { Type } from 'typebox'
import type { AuditEvent } from '../../../db/tables.ts'
import { type AuditFilter, listAuditEvents, recordedEventNames } from '../../../features/instance/audit-log/audit-log.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import { Day } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { page, type View } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { type AdminVisit, addressWith, administration, adminView, filtersOf } from './admin-view.ts'
import { sentences } from './sentences.ts'

const address = '/admin/audit_log'
const perPage = 50
const entityTypes = translated({ User: 'User', Project: 'Project', Group: 'Group', Instance: 'Instance' })

/** A form sends all its fields: an empty one is no filter. */
const day = Type.Optional(Type.Union([Day, Type.Literal('')]))

interface Chosen {
  page: number
  search: string
  entity_type: string
  event_name: string
  from?: string | undefined
  to?: string | undefined
}

export const auditLogPages = [
  page('GET /admin/audit_log', {
    access: administration(),
    query: {
      ...pageNumber,
      search: Type.String({ default: '', maxLength: 255 }),
      entity_type: Type.String({ default: '' }),
      event_name: Type.String({ default: '', maxLength: 255 }),
      from: day,
      to: day,
    },
    show: ({ app, sent }) => logView(app, sent),
  }),
]

async function logView(app: AdminVisit['app'], sent: Chosen): Promise<View> {
  const names = await recordedEventNames(app.db)
  const event_name = names.find((name) => name === sent.event_name)
  const types = Object.keys(entityTypes) as Array<keyof typeof entityTypes>
  const entity_type = types.find((type) => type === sent.entity_type)
  const filter = { ...filterOf(sent), event_name, entity_type }
  const { rows, total } = await listAuditEvents(app.db, filter, pageFrom({ page: sent.page, per_page: perPage }))
  const { search, from = '', to = '' } = sent
  const lists = {
    entity_type: [t`Changed`, [['', t`Anything`], ...Object.entries(entityTypes)], entity_type ?? ''],
    event_name: [t`Event`, [['', t`Any event`], ...names.map((name) => [name, wordsOf(name)] as const)], event_name ?? ''],
  } as const
  const days = { from: [t`From`, from], to: [t`To`, to] } as const
  return adminView('audit_log', {
    title: t`Audit log`,
    main: html`
      <h1>Audit log</h1>
      <p>${sentences.auditLogIs}</p>
      ${filtersOf({ address, search, label: t`Author`, lists, days })}
      ${total === 0 ? emptyState(sentences.noAuditEvents) : html`<ul class="rows">${rows.map(rowOf)}</ul>`}
      ${pagesBelow(addressWith(address, { search, entity_type, event_name, from, to }), { page: sent.page, per_page: perPage, total })}
    `,
  })
}

/** Days are whole ones, in UTC. */
function filterOf({ search, from, to }: Chosen): AuditFilter {
  return {
    author_name: search.trim() || undefined,
    created_after: from ? `${from}T00:00:00.000Z` : undefined,
    created_before: to ? `${to}T23:59:59.999Z` : undefined,
  }
}

function wordsOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function rowOf(row: AuditEvent): Html {
  const details = JSON.parse(row.details) as { custom_message: string; acts_as?: string; with?: string }
  const { author_name, entity_type, entity_path, ip_address, created_at } = row
  return html`
    <li>
      <div class="what">
        <b><bdi>${details.custom_message}</bdi></b>
        <span class="hint">
          ${entityTypes[entity_type]} <bdi>${entity_path}</bdi>
        </span>
      </div>
      <div class="facts">
        <span>by <bdi>${author_name}</bdi></span>${details.acts_as !== undefined && html`<span>as <bdi>${details.acts_as}</bdi></span>`}
        ${details.with !== undefined && html`<span>${credentials()[details.with] ?? details.with}</span>`}
        ${ip_address !== null && html`<span>${ip_address}</span>`}<span>${ago(created_at)}</span>
      </div>
    </li>
  `
}

const credentials = (): Readonly<Record<string, string>> => ({
  session: t`signed in`,
  token: t`by token`,
  oauth: t`by application`,
  job: t`by CI job`,
  machine: t`by machine`,
})
