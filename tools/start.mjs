/** `npm start`: installs what is missing, builds what is outdated, and becomes the server. */
import { ensureBuilt, ensureInstalled, requireNode } from './prepare.mjs'

requireNode()
ensureInstalled()
ensureBuilt()
await import('../dist/main.js')
