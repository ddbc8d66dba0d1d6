/** CI files and what they include: what other features may use of it. */
export { fileAt, pathsOf } from './files.service.ts'
export { includeLoader, type Source } from './include-loader.service.ts'
