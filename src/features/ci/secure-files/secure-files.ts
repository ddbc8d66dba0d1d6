/** Secure files: what others may use of them. */
export { secureFileManaged, secureFilesManaged } from './secure-files.access.ts'
export { listSecureFiles } from './secure-files.queries.ts'
export { addSecureFile, maxSecureFile_bytes, removeSecureFile } from './secure-files.service.ts'
