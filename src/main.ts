#!/usr/bin/env node
/** The start: looks whether this Node.js is new enough before anything is loaded that an old one would not understand. */
import { isTooOld, minNode } from './program/node-version.ts'

if (isTooOld(process.versions.node)) {
  process.stderr.write(`gitstead: needs Node.js ${minNode} or later (this is ${process.versions.node})\n`)
  process.exitCode = 1
} else await import('./cli.ts')
