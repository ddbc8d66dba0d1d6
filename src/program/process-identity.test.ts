import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { stateOf, thisProcess } from './process-identity.ts'

const hasProc = process.platform === 'linux'

/** This process as it is written, with some parts changed. */
function like(changes: Partial<Record<'host' | 'machine' | 'boot' | 'namespace' | 'pid' | 'started', string | number>>): string {
  const [host, machine, boot, namespace, pid, started] = thisProcess.split(' ')
  return Object.values({ host, machine, boot, namespace, pid, started, ...changes, nonce: 'another' }).join(' ')
}

/** In clock ticks since the boot. */
const startOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] as string

test('this process knows itself, and another that lives', () => {
  expect(stateOf(thisProcess)).toBe('self')
  expect(stateOf(like({ pid: process.ppid, started: hasProc ? startOf(process.ppid) : '-' }))).toBe('alive')
})

test.runIf(hasProc)(
  'a process that ended is dead: when its parent has not noticed, when its pid is free, when another has it',
  async () => {
    // Its child ends when the shell has become `sleep`, which never waits for it.
    const parent = spawn('sh', ['-c', '(read line <&3) & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] })
    const [printed] = (await once(parent.stdout as Readable, 'data')) as [Buffer]
    const zombie = Number(printed.toString())
    const started = startOf(zombie)
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n')
    ;(parent.stdio[3] as Writable).end('\n')
    while (!readFileSync(`/proc/${zombie}/stat`, 'utf8').includes(') Z ')) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(stateOf(like({ pid: zombie, started }))).toBe('dead')

    const own = { pid: parent.pid as number, started: startOf(parent.pid as number) }
    expect(stateOf(like(own))).toBe('alive')
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    expect(stateOf(like(own))).toBe('dead')
    expect(stateOf(like({ started: '1' }))).toBe('dead')
  },
)

test.runIf(hasProc)('what can’t be seen from here is unknown; what was before a restart of this machine is dead', () => {
  const elsewhere = { boot: 'c0ffee00-0000-4000-8000-000000000000' }
  expect(stateOf(like({ ...elsewhere, host: 'elsewhere', pid: 1 }))).toBe('unknown')
  expect(stateOf(like({ ...elsewhere, machine: 'a-copy-of-this-image', pid: 1 }))).toBe('unknown')
  expect(stateOf(like({ ...elsewhere, machine: '-' }))).toBe('unknown')
  // Another container on this kernel: pid 1 there is not pid 1 here.
  expect(stateOf(like({ namespace: 'pid:[1]', pid: 1, started: '1' }))).toBe('unknown')
  // Another container may have another name, and see the same processes.
  expect(stateOf(like({ host: 'renamed', pid: 99_999_999 }))).toBe('dead')
  const [, machine] = thisProcess.split(' ')
  expect(stateOf(like({ ...elsewhere, machine: machine ?? '-' }))).toBe(machine === '-' ? 'unknown' : 'dead')
})

test('what versions before wrote is judged by host and pid', () => {
  const [host] = thisProcess.split(' ')
  expect(stateOf(`${host} 99999999 nonce`)).toBe('dead')
  expect(stateOf(`${host} ${process.pid} earlier`)).toBe('dead')
  expect(stateOf(`${host} ${process.ppid} nonce`)).toBe('alive')
  expect(stateOf('elsewhere 1 nonce')).toBe('unknown')
})
