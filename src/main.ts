#!/usr/bin/env node
/** The entry point: checks the version of Node.js before anything is loaded that an old one could not parse. */
import { isTooOld, minNode } from './program/node-version.ts'

if (isTooOld(process.versions.node)) {
  process.stderr.write(`gitstead: needs Node.js ${minNode} or later (this is ${process.versions.node})\n`)
  process.exitCode = 1
} else await import('./cli.ts')
