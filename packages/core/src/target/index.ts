export type { GrpcTarget } from './grpc-target.ts'
export type { HandlerTarget } from './handler-target.ts'
export { isHeaderName, isReservedHeader } from './http-headers.ts'
export type { HttpSuccess, HttpTarget } from './http-target.ts'
export type { ShellTarget } from './shell-target.ts'
export { exitCodeRanges, isReservedVariable } from './shell-values.ts'
export type { SshTarget } from './ssh-target.ts'
export {
  checkTarget,
  type Target,
  type TargetKindName,
  targetKindNames,
  targetKinds,
  targetOption,
} from './target.ts'
export { checkHandlerName, handlerFor, handlerOfKind, kindOfHandler } from './target-handler.ts'
export type { TargetKind } from './target-kind.ts'
export { statusRanges } from './target-kinds.ts'
export { type NamedTarget, renamedTarget, targetOfNames } from './target-names.ts'
export {
  type Placeholder,
  parseTemplate,
  secretsIn,
  type TemplateFact,
  type TemplatePart,
  templateFacts,
} from './template.ts'
