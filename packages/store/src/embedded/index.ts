/** The embedded PostgreSQL server: what the rest of Punctual may use of this folder. */
export { writeFileAtomic } from './atomic-file.ts'
export { type AttachOptions, attachEmbedded, isEmbeddedDataDir } from './attach-embedded.ts'
export { EmbeddedError, EmbeddedErrorCode } from './embedded-error.ts'
export type { AsRoot, EmbeddedOptions } from './embedded-options.ts'
export { type EmbeddedExit, EmbeddedExitReason, type EmbeddedServer } from './embedded-server.ts'
export { findPackagedNativeDir, platformSuffix } from './native-dir.ts'
export { startEmbedded } from './start-embedded.ts'
