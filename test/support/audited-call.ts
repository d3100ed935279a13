/** A call of the server as the audit log keeps it. */
export const auditedCall = (requestId: string) => ({
  tenant: 'default',
  actor: 'somebody',
  keyId: null,
  operation: 'createJob',
  method: 'POST',
  path: '/api/v1/jobs',
  status: 201,
  code: null,
  reason: null,
  requestId,
  address: null,
})
