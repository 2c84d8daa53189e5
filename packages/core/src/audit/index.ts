export { type Actor, type ActorKind, actorKinds, checkActor } from './actor.ts'
export type {
  AuditEntry,
  AuditFault,
  AuditHead,
  AuditTarget,
  AuditVerification,
  AuditWrite,
  VerifiedChain,
} from './audit-entry.ts'
