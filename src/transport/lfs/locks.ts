/** File locks over HTTP: create, list, verify before a push, and delete. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { may } from '../../access/permissions.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { isSize, type Locker, type LockFilter, listLocks, lockFile, type OwnedLock, unlockFile } from '../../features/repository/lfs/lfs.ts'
import { admitToLfs, callerOf } from './caller.ts'
import { type Fields, invalid, readFields, send } from './json.ts'

/** `POST locks`. */
export async function createLock(app: App, request: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> {
  const locker = await admitMember(app, request, path)
  const { path: file } = await readFields(request)
  if (typeof file !== 'string') throw invalid('The path must be text.')
  const { lock, made } = await lockFile(app, locker, file)
  return made
    ? send(reply, { lock: present(lock) }, 201)
    : send(reply, { lock: present(lock), message: 'The file is locked already.' }, 409)
}

/** `GET locks`. */
export async function showLocks(app: App, request: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> {
  const { project } = await admitToLfs(app, await callerOf(app, request), path, 'read')
  const query = request.query as Fields
  const filter: LockFilter = { path: asText(query, 'path'), id: idIn(query, 'id'), after: idIn(query, 'cursor') }
  const { locks, next } = await listLocks(app, project.id, filter, asLimit(asText(query, 'limit') ?? null))
  return send(reply, { locks: locks.map(present), ...asCursor(next) })
}

/** `POST locks/verify`: the caller's own locks, and those of others. */
export async function verifyLocks(app: App, request: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> {
  const { project, user } = await admitLocker(app, request, path)
  const fields = await readFields(request)
  const { locks, next } = await listLocks(app, project.id, { after: idIn(fields, 'cursor') }, asLimit(fields.limit))
  const ours = locks.filter((lock) => lock.user_id === user.id).map(present)
  const theirs = locks.filter((lock) => lock.user_id !== user.id).map(present)
  return send(reply, { ours, theirs, ...asCursor(next) })
}

/** `POST locks/<id>/unlock`. */
export async function removeLock(app: App, request: FastifyRequest, reply: FastifyReply, path: string, id: string): Promise<unknown> {
  const locker = await admitMember(app, request, path)
  const { force = false } = await readFields(request)
  if (typeof force !== 'boolean') throw invalid('force must be true or false.')
  return send(reply, { lock: present(await unlockFile(app, locker, Number(id), force)) })
}

/** Everyone who may push may lock. A deploy key locks as its creator, like it pushes. */
async function admitLocker(app: App, request: FastifyRequest, path: string): Promise<Locker> {
  const { project, user, level } = await admitToLfs(app, await callerOf(app, request), path, 'write')
  return { project, user: user as User, level }
}

/** Locks apply to all branches, so users who may only push to the branch of a merge request can't lock. */
async function admitMember(app: App, request: FastifyRequest, path: string): Promise<Locker> {
  const locker = await admitLocker(app, request, path)
  if (!may('push_code', locker.level)) throw new Failure('forbidden', 'Only members of this project lock files.')
  return locker
}

function present({ id, path, created_at, user_name }: OwnedLock) {
  return { id: String(id), path, locked_at: created_at, owner: { name: user_name } }
}

function asCursor(next: number | null): { next_cursor?: string } {
  return next === null ? {} : { next_cursor: String(next) }
}

/** Text, if there is any. */
function asText(fields: Fields, name: string): string | undefined {
  const value = fields[name] ?? ''
  if (typeof value !== 'string' || value.includes('\0')) throw invalid(`${name} must be text.`)
  return value === '' ? undefined : value
}

function idIn(fields: Fields, name: string): number | undefined {
  const text = asText(fields, name)
  if (text !== undefined && !/^\d{1,15}$/.test(text)) throw invalid(`There is no such ${name}.`)
  return text === undefined ? undefined : Number(text)
}

/** Clients without a preference send nothing, or 0. */
function asLimit(value: unknown): number | undefined {
  const limit = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : (value ?? 0)
  if (!isSize(limit)) throw invalid('limit must be a whole number.')
  return limit === 0 ? undefined : limit
}
