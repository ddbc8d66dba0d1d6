/** Custom headers and URL variables of a webhook: both may be secret, so they are sealed and only their names are returned. */
import type { App } from '../../../app.ts'
import type { Hook } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'

export const valueKinds = ['custom_headers', 'url_variables'] as const
export type ValueKind = (typeof valueKinds)[number]

/** Values by name. */
export type NamedValues = Record<string, string>

export interface NamedValue {
  key: string
  value: string
}

const maxValues = 20
const maxValue = 2_048

/** Headers set by each delivery, or by the connection. */
const reservedHeaders =
  /^(?:content-(?:type|length)|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|user-agent|idempotency-key|webhook-.*|x-gitlab-.*|x-gitstead-.*)$/i

const names: Record<ValueKind, RegExp> = {
  custom_headers: /^[A-Za-z][\w-]{0,254}$/,
  url_variables: /^[A-Za-z_]\w{0,254}$/,
}

export function valuesOf(app: App, hook: Pick<Hook, ValueKind>, kind: ValueKind): NamedValues {
  const sealed = hook[kind]
  return sealed === null ? {} : (JSON.parse(app.secrets.unseal(sealed, `hooks.${kind}`)) as NamedValues)
}

/** Null for none, as in the column. */
export function sealValues(app: App, kind: ValueKind, values: NamedValues): string | null {
  return Object.keys(values).length === 0 ? null : app.secrets.seal(JSON.stringify(values), `hooks.${kind}`)
}

/** Adds these, or replaces those with the same name. Throws 400 for an invalid name or value. */
export function withValues(kind: ValueKind, earlier: NamedValues, sent: readonly NamedValue[]): NamedValues {
  const values = new Map(Object.entries(earlier))
  for (const { key, value } of sent) {
    const reason = reasonAgainst(kind, key, value)
    if (reason) throw invalid({ [kind]: [`${key.slice(0, 255)} ${reason}`] })
    // Names of headers are case-insensitive.
    if (kind === 'custom_headers') for (const name of values.keys()) if (name.toLowerCase() === key.toLowerCase()) values.delete(name)
    values.set(key, value)
  }
  if (values.size > maxValues) throw invalid({ [kind]: [`must be at most ${maxValues}`] })
  return Object.fromEntries(values)
}

function reasonAgainst(kind: ValueKind, key: string, value: string): string | null {
  if (!names[kind].test(key)) return 'is not a valid name'
  if (kind === 'custom_headers' && reservedHeaders.test(key)) return 'is set by each delivery'
  if (value === '' || value.length > maxValue) return `must have a value of at most ${maxValue} characters`
  const isAllowed = kind === 'custom_headers' ? /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/ : /^[\x21-\x7e]+$/
  return isAllowed.test(value) ? null : 'has a value with characters that are not allowed'
}

/** Throws 404 if there is none of that name. */
export function withoutValue(kind: ValueKind, earlier: NamedValues, key: string): NamedValues {
  if (!Object.hasOwn(earlier, key)) throw notFound(kind === 'custom_headers' ? 'Custom header' : 'URL variable')
  const { [key]: _, ...others } = earlier
  return others
}

const placeholder = /\{([A-Za-z_]\w{0,254})\}/g

/** The URL with its variables filled in, and the first variable without a value. Variables can't occur in the host. */
export function fillUrl(template: string, variables: NamedValues): { url: string; missing: string | null } {
  let missing: string | null = null
  const [host = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(template) ?? []
  const rest = template.slice(host.length).replace(placeholder, (whole, name: string) => {
    if (Object.hasOwn(variables, name)) return variables[name] ?? whole
    missing ??= name
    return whole
  })
  return { url: host + rest, missing }
}

/** Whether both have the same host and protocol. */
export function isSameHost(one: string, other: string): boolean {
  const hostOf = (url: string) => /^([a-z]+:\/\/)(?:[^/?#]*@)?([^/?#]*)/i.exec(url.trim())?.slice(1).join('').toLowerCase()
  return hostOf(one) === hostOf(other)
}
