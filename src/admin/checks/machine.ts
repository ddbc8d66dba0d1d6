/** Checks of the machine: programs, disk space, clock. */
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Kysely } from 'kysely'
import type { Config } from '../../config.ts'
import { engineOf } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { StartRefused } from '../../failure.ts'
import { requireGit } from '../../git/process/git-program.ts'
import type { Git } from '../../git/repository/repository.ts'
import { databaseTime, newestInstant } from './doctor.queries.ts'
import { type Finding, fail, ok, sizeOf, warn } from './findings.ts'

export async function checkPrograms(git: Git, { home }: Config): Promise<Finding[]> {
  const node = ok('node', `version ${process.versions.node}`)
  try {
    return [node, ok('git', await requireGit(git.start, await nearestFolder(home)))]
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error
    return [node, fail('git', error.message, 'install a newer git, or correct PATH')]
  }
}

const little = { bytes: 1024 ** 3, share: 0.05 }
const none_bytes = 100 * 1024 ** 2

export async function checkSpace({ home }: Config): Promise<Finding[]> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(await nearestFolder(home))
  const [free_bytes, total_bytes] = [bavail * bsize, blocks * bsize]
  const text = `${sizeOf(free_bytes)} free of ${sizeOf(total_bytes)}`
  // Some file systems have no fixed number of inodes and report 0.
  if (files > 0 && ffree / files < 0.01) return [fail('space', `${text}, ${ffree} inodes free of ${files}`, 'free inodes')]
  if (free_bytes < none_bytes) return [fail('space', text, 'free some: writes fail when the disk is full')]
  const isLittle = free_bytes < little.bytes || free_bytes < little.share * total_bytes
  return [isLittle ? warn('space', text, 'free some before writes fail') : ok('space', text)]
}

/** The folder itself or, if it doesn't exist, the nearest existing folder above it. */
async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() || path === dirname(path) ? path : nearestFolder(dirname(path))
}

/** With a larger difference, tokens and sessions expire at the wrong time, and leases of jobs overlap. */
const maxSkew_s = 30

export async function checkClock(db: Kysely<Tables>, { database_url }: Config): Promise<Finding[]> {
  const newest = await newestInstant(db)
  const ahead_s = newest === null ? 0 : Math.round((Date.parse(newest) - Date.now()) / 1000)
  if (ahead_s > maxSkew_s) return [fail('clock', `the newest push is ${ahead_s} s in the future`, 'synchronize the clock of this machine')]
  if (database_url === null || engineOf(database_url) === 'sqlite') return [ok('clock', new Date().toISOString())]
  const skew_s = Math.round(((await databaseTime(db)) - Date.now()) / 1000)
  if (Math.abs(skew_s) > maxSkew_s)
    return [fail('clock', `${Math.abs(skew_s)} s from that of the database`, 'synchronize the clocks of both machines')]
  return [ok('clock', `${new Date().toISOString()}, as the database`)]
}
