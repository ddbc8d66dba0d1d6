/** Helpers for requests of integrations, and for values in settings and events that many of them use. */
import { branchRevision, tagRevision } from '../../../git/refs/names.ts'
import { withoutTrailing } from '../../../text/trailing.ts'
import type { HttpCall, Payload, Reply, Settings } from './kind.ts'

const noObject = /^0+$/

export function postJson(url: string, body: unknown, headers: Record<string, string> = {}): HttpCall {
  return { method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** Empty values are left out. */
export function postForm(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): HttpCall {
  const body = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== '')).toString()
  return { method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body }
}

export function getJson(url: string, headers: Record<string, string> = {}): HttpCall {
  return { method: 'GET', url, headers: { accept: 'application/json', ...headers }, body: '' }
}

export function basic(username: string, password: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** The URL of a server with a path and a query. */
export function urlAt(base: string, path: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `${withoutTrailing(base, '/')}/${path}${search === '' ? '' : `?${search}`}`
}

export function textOf(settings: Settings, name: string): string {
  const value = settings[name]
  return value === undefined ? '' : String(value).trim()
}

export function isOn(settings: Settings, name: string): boolean {
  return settings[name] === true
}

/** The answer as JSON; null if it isn't JSON. */
export function jsonOf(reply: Reply): unknown {
  try {
    return JSON.parse(reply.body)
  } catch {
    return null
  }
}

export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300
}

export function refName(ref = ''): string {
  return ref.replace(/^refs\/(heads|tags)\//, '')
}

export function refType({ object_kind }: Payload): 'tag' | 'branch' {
  return object_kind === 'tag_push' ? 'tag' : 'branch'
}

export type PushKind = 'new' | 'removed' | 'moved'

export function pushKind({ before = '', after = '' }: Payload): PushKind {
  return noObject.test(before) ? 'new' : noObject.test(after) ? 'removed' : 'moved'
}

export function compareUrl({ project, before, after }: Payload): string {
  return `${project.web_url}/compare/${before}...${after}`
}

/** The page of the commits of a branch or tag. */
export function commitsUrl({ web_url }: Payload['project'], { name, tag }: { name: string; tag: boolean }): string {
  const revision = tag ? tagRevision(name) : branchRevision(name)
  return `${web_url}/commits/${revision.split('/').map(encodeURIComponent).join('/')}`
}

export function refUrl({ project, ref = '' }: Payload): string {
  return commitsUrl(project, { name: refName(ref), tag: ref.startsWith('refs/tags/') })
}

/** A comma-separated list of branches; none means all. */
export function allowsBranch(list: string, ref: string | undefined): boolean {
  const branches = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return branches.length === 0 || branches.includes(refName(ref))
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.trim() ?? ''
}

export function short(oid: string): string {
  return oid.slice(0, 8)
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
