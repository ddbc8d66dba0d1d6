/** The frame of all admin pages, and their access rule. */

import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Access } from '../../../http/declare/rules.ts'
import { administrators, only, type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { type Choice, hidden, optionsOf } from '../../frame/forms.ts'
import { navigation } from '../../frame/parts.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'

/** A visit by an administrator. */
export type AdminVisit = Visit & { user: User }

/** Grants administrators; answers 404 to others. */
export function administration(): Access<SignedIn> {
  return only(signedIn(), { ...administrators, refusal: () => notFound() })
}

const tabs = () =>
  ({
    overview: [t`Overview`, '/admin'],
    users: [t`Users`, '/admin/users'],
    service_accounts: [t`Service accounts`, '/admin/service_accounts'],
    abuse_reports: [t`Abuse reports`, '/admin/abuse_reports'],
    spam_logs: [t`Spam`, '/admin/spam_logs'],
    groups: [t`Groups`, '/admin/groups'],
    projects: [t`Projects`, '/admin/projects'],
    runners: [t`Runners`, '/admin/runners'],
    variables: [t`Variables`, '/admin/variables'],
    jobs: [t`Jobs`, '/admin/jobs'],
    messages: [t`Messages`, '/admin/broadcast_messages'],
    deploy_keys: [t`Deploy keys`, '/admin/deploy_keys'],
    applications: [t`Applications`, '/admin/applications'],
    hooks: [t`System hooks`, '/admin/hooks'],
    integrations: [t`Integrations`, '/admin/integrations'],
    push_rules: [t`Push rules`, '/admin/push_rule'],
    features: [t`Features`, '/admin/features'],
    audit_log: [t`Audit log`, '/admin/audit_log'],
    rate_limits: [t`Rate limits`, '/admin/rate_limits'],
    health: [t`Health`, '/admin/health'],
    system: [t`System`, '/admin/system_info'],
    appearance: [t`Appearance`, '/admin/appearance'],
    settings: [t`Settings`, '/admin/application_settings'],
  }) as const

export type AdminTab = keyof ReturnType<typeof tabs>

/** A page of administration. */
export function adminView(tab: AdminTab, { title, main, ...rest }: InnerView): View {
  const links = Object.entries(tabs()).map(([key, [label, href]]) => ({ label, href, isCurrent: key === tab }))
  return {
    ...rest,
    title: t`${title} · Administration`,
    main: html`<div class="beside">${navigation(t`Administration`, links)}<div class="settings">${main}</div></div>`,
  }
}

export interface Filters {
  address: string
  search: string
  /** Label of the search field; `Find` by default. */
  label?: string
  /** Date fields, by parameter name. */
  days?: Readonly<Record<string, readonly [label: string, value: string]>>
  /** Lists to choose from, by parameter name: `[label, choices, chosen]`. */
  lists?: Readonly<Record<string, readonly [label: string, choices: readonly Choice[], chosen: string]>>
  kept?: Readonly<Record<string, string>>
}

/** The form above a list, which puts the choices into the URL of the list. */
export function filtersOf({ address, search, label = t`Find`, lists = {}, days = {}, kept = {} }: Filters): Html {
  return html`
    <form class="filters many" role="search" action="${address}">
      ${hidden(kept)}<label for="search">${label}</label><input id="search" name="search" type="search" value="${search}">
      ${Object.entries(lists).map(
        ([name, [label, choices, chosen]]) => html`<select name="${name}" aria-label="${label}">${optionsOf(choices, chosen)}</select>`,
      )}
      ${Object.entries(days).map(
        ([name, [label, value]]) =>
          html`<label for="${name}">${label} <input id="${name}" name="${name}" type="date" value="${value}"></label>`,
      )}
      <button>Show</button>
    </form>
  `
}

/** The URL of the list, without parameters that aren't set. */
export function addressWith(address: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const chosen = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
  return chosen.length === 0 ? address : `${address}?${new URLSearchParams(chosen).toString()}`
}
