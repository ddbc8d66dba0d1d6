/** The process of the fork server, as seen by its parent. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bareEnvironment } from '../../program/bare-environment.ts'
import { forkServerArguments } from './fork-server-file.ts'
import type { Ending } from './program.ts'

/** The messages of the fork server about a program. */
export type Message = { id: number; pid: number } | { id: number; error: string } | ({ id: number } & Ending)

/** On some systems the path of a socket is cut off here; on Linux at 108. */
const maxPath_bytes = 103

export interface ServerProcess {
  path: string
  pid: number | null
  readonly isReady: boolean
  ready: Promise<void>
  send: (message: object) => void
  /** Whether pending messages keep this process alive. */
  keepAlive: (on: boolean) => void
}

interface ServerEvents {
  onReady: () => void
  onMessage: (message: Message) => void
  /** Called once. */
  onEnd: (error: Error, wasReady: boolean) => void
}

export function launchServer(secret: Buffer, { onReady, onMessage, onEnd }: ServerEvents): ServerProcess {
  // No other user may enter this folder, so nobody else can connect.
  const path = join(mkdtempSync(join(shortFolder(), 'gitstead-')), 's')
  const child = spawn(process.execPath, forkServerArguments(), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: bareEnvironment() })
  let isReady = false
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: Message | { ready: true }) => {
      if (!('ready' in message)) return onMessage(message)
      isReady = true
      resolve()
      onReady()
    })
    const end = (error: Error) => {
      if (hasEnded) return
      hasEnded = true
      reject(error)
      rm(dirname(path), { recursive: true, force: true }).catch(() => {})
      onEnd(error, isReady)
    }
    let hasEnded = false
    child.once('error', end)
    // At this point all its messages have been received.
    child.once('disconnect', () => end(new Error(`it ended with ${child.exitCode ?? child.signalCode ?? 'its channel'}`)))
  })
  ready.catch(() => {})
  const send = (message: object) => {
    // If it is gone, `disconnect` is emitted.
    if (child.connected) child.send(message, () => {})
  }
  send({ path, secret: secret.toString('hex') })
  child.unref()
  const keepAlive = (on: boolean) => refer(child, on)
  return {
    path,
    pid: child.pid ?? null,
    ready,
    send,
    keepAlive,
    get isReady() {
      return isReady
    },
  }
}

function refer({ channel }: ChildProcess, on: boolean): void {
  if (on) channel?.ref()
  else channel?.unref()
}

/** Paths of sockets must be short. */
function shortFolder(): string {
  const folder = tmpdir()
  return Buffer.byteLength(join(folder, 'gitstead-123456', 's')) > maxPath_bytes ? '/tmp' : folder
}
