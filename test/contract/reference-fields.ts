/** The fields of the reference's replies, and what `docs/differences.md` tells of them. */
import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import type { Served } from './world/fixtures.ts'

interface Reference {
  /**
   * The fields of release 11.3 by kind of reply; the names of kinds are ours. Each field has the kind of its content, with `?` if it may be
   * missing.
   */
  kinds: Record<string, Record<string, string>>
  /** The kinds of reply that an endpoint gives. */
  replies: Record<string, string | string[]>
}

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const { kinds, replies }: Reference = JSON.parse(read('reference-fields.json'))

interface Field {
  name: string
  kind: string
  /** Whether the reference always has it. */
  isSure: boolean
}

function fieldsOf(kind: string): Field[] {
  const fields = kinds[kind]
  if (!fields) throw new Error(`no kind is called ${kind}`)
  return Object.entries(fields).map(([name, of]) => ({ name: name.replace('?', ''), kind: of, isSure: !name.endsWith('?') }))
}

export const endpointsOfReference = Object.keys(replies)

/** The kinds of a reply. */
export function kindsOf(name: string): string[] {
  return [replies[name] ?? []].flat()
}

/** The fields of the reference that our reply lacks, and those that only ours has. */
export interface Difference {
  missing: Set<string>
  added: Set<string>
}

/** The table in `docs/differences.md`: a row for each kind, or for several that differ alike. */
export const told = new Map(
  [...section('Fields of replies').matchAll(/^\| ([\w ,]+) \| ((?:`\w+`|, )*) \| ((?:`\w+`|, )*) \|$/gm)].flatMap(
    ([, named = '', missing = '', added = '']) =>
      named.split(', ').map((kind): [string, Difference] => [kind, { missing: namesIn(missing), added: namesIn(added) }]),
  ),
)

function section(title: string): string {
  const sections = read('../../docs/differences.md').split(/^## /m)
  return sections.find((text) => text.startsWith(`${title}\n`))?.replace(/^\| reply .*$/m, '') ?? ''
}

function namesIn(cell: string): Set<string> {
  return new Set([...cell.matchAll(/\w+/g)].map(([name]) => name))
}

interface ObjectSchema {
  properties: Record<string, TSchema>
  required?: string[]
}

/** The objects among what the schema allows, the items of lists included. */
function objectsIn(schema: TSchema): ObjectSchema[] {
  const { anyOf, items, properties } = schema as { anyOf?: TSchema[]; items?: TSchema } & Partial<ObjectSchema>
  if (anyOf) return anyOf.flatMap(objectsIn)
  if (items) return objectsIn(items)
  return properties ? [schema as unknown as ObjectSchema] : []
}

/** Which of several objects is meant: the one that has most of the fields, and least besides. */
function closestTo(fields: Field[], objects: ObjectSchema[]): ObjectSchema | undefined {
  const score = ({ properties }: ObjectSchema) =>
    fields.filter(({ name }) => name in properties).length - Object.keys(properties).length / 1_000
  return [...objects].sort((a, b) => score(b) - score(a))[0]
}

/** The declared fields of one kind, wherever it is in a reply. */
interface Found {
  where: string
  names: string[]
}

/** Everything of the kinds of the reference that the endpoints declare, at every depth. */
export function declaredKinds(served: Served[]): Map<string, Found[]> {
  const found = new Map<string, Found[]>()
  const walk = (kind: string, schema: TSchema, where: string): void => {
    const fields = fieldsOf(kind)
    const object = closestTo(fields, objectsIn(schema))
    if (!object) return
    found.set(kind, [...(found.get(kind) ?? []), { where, names: Object.keys(object.properties) }])
    for (const field of fields) {
      const inner = object.properties[field.name]
      if (inner && field.kind !== '') walk(field.kind, inner, `${where} ${field.name}`)
    }
  }
  for (const { name, endpoint } of served) {
    for (const kind of kindsOf(name)) if (endpoint.kind !== 'stream' && endpoint.reply) walk(kind, endpoint.reply, name)
  }
  return found
}

/** A field that the reference has on a condition only must be in one place of several. */
export function differenceOf(kind: string, found: Found[]): Difference {
  const fields = fieldsOf(kind)
  const isMissing = ({ name, isSure }: Field) => {
    const without = found.filter(({ names }) => !names.includes(name)).length
    return isSure ? without > 0 : without === found.length
  }
  const own = fields.map(({ name }) => name)
  return {
    missing: new Set(fields.filter(isMissing).map(({ name }) => name)),
    added: new Set(found.flatMap(({ names }) => names).filter((name) => !own.includes(name))),
  }
}

/** Fields of the reference that a reply lacks, at every depth, and that `docs/differences.md` doesn't tell of. */
export function untoldIn(kind: string, value: unknown): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => untoldIn(kind, item)))]
  if (typeof value !== 'object' || value === null) return []
  const has = value as Record<string, unknown>
  return fieldsOf(kind).flatMap((field) => {
    if (field.name in has) return field.kind === '' ? [] : untoldIn(field.kind, has[field.name])
    return field.isSure && !told.get(kind)?.missing.has(field.name) ? [`${kind}: ${field.name}`] : []
  })
}
