/** Pictures of other hosts in texts: loaded by this server, so that those hosts don't learn who reads what. What other features may use. */
export { readRemotePicture } from './remote-pictures.service.ts'
export { withRemotePictures } from './rewriting.ts'
