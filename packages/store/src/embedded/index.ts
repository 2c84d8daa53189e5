/** The embedded PostgreSQL server: the exports for the rest of Punctual. */

export { type AttachOptions, attachEmbedded, isEmbeddedDataDir } from './attach-embedded.ts'
export { findPackagedNativeDir, platformSuffix } from './binaries/native-dir.ts'
export { writeFileAtomic } from './data-directory/atomic-file.ts'
export { EmbeddedError, EmbeddedErrorCode } from './data-directory/embedded-error.ts'
export type { AsRoot, EmbeddedOptions } from './options/embedded-options.ts'
export {
  type EmbeddedExit,
  EmbeddedExitReason,
  type EmbeddedServer,
} from './options/embedded-server.ts'
export { startEmbedded } from './start-embedded.ts'
