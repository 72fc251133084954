//! Codes in HTTP: which status each has, and a refusal as an answer with the envelope that every surface gives.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use guild_engine::{Code, Envelope, Premises, Refusal, requests};
use serde_json::{Map, Value};
use std::sync::Arc;

type Reply = Envelope<Map<String, Value>>;

/// What each code of ours is in HTTP. What was done, and came to something else than was hoped for, is 200: the envelope says so.
#[rustfmt::skip]
const STATUS: &[(StatusCode, &[Code])] = &[
    (StatusCode::OK, &[
        Code::Ok, Code::ScriptFailed, Code::ScriptTimedOut, Code::ScriptOutOfMemory, Code::OutputInvalid, Code::RunCancelled,
        Code::SubagentFailed, Code::SubagentTimedOut, Code::SubagentExhausted, Code::RunInterrupted, Code::ProviderExecutionFailed, Code::ToolInputRequired, Code::ToolTimedOut, Code::ToolCrashed,
        Code::ToolRuntimeMissing, Code::ToolNoAnswer, Code::ToolAnswerNotJson, Code::ToolAnswerNotObject, Code::ToolOutputInvalid,
        Code::ReplayDiffers, Code::CheckFailed, Code::ReceiptsBroken, Code::VerifyFailed, Code::SyncDrift,
    ]),
    (StatusCode::ACCEPTED, &[Code::ApprovalRequired, Code::SecurityHashMismatch]),
    (StatusCode::BAD_REQUEST, &[Code::RequestMalformed]),
    (StatusCode::UNAUTHORIZED, &[Code::NotAuthenticated]),
    (StatusCode::FORBIDDEN, &[
        Code::SkillCapabilityDenied, Code::ProviderPolicyDenied, Code::WorkspaceTooWide, Code::ApprovalDenied, Code::HookDenied, Code::ContainerTooWide,
        Code::SecurityPreflightDenied, Code::SkillNotInvocable, Code::SkillReadOnly, Code::SkillFilesRefused, Code::StepRefused,
        Code::ContainerNotYours, Code::ContainerCeiling, Code::ImageUnsafe, Code::ListenUnprotected, Code::HostNotAllowed,
        Code::OriginNotAllowed, Code::CsrfTokenInvalid, Code::DenialStands, Code::PersonRequired, Code::RoleInsufficient, Code::ApprovalWayForbidden,
        Code::WarningNotAllowable, Code::UnsafePath, Code::UnsafeLink, Code::NameCollision, Code::UnpackBomb, Code::SpecialFile,
        Code::SetIdFile, Code::UnsafeName, Code::InstallPlaceRefused, Code::BundleInvalid,
    ]),
    (StatusCode::NOT_FOUND, &[
        Code::SkillNotFound, Code::PluginNotFound, Code::ProviderUnbound, Code::ProviderToolUnregistered, Code::SecretNotFound,
        Code::ConfigNotSet, Code::StepNotFound, Code::HashUnknown, Code::PathNotFound, Code::ContainerNotFound, Code::ChangesNotFound,
        Code::ImageNotFound, Code::ReceiptNotFound, Code::RequestNotFound, Code::GrantNotFound, Code::TokenNotFound,
        Code::RouteNotFound, Code::WarningNotFound, Code::NotInstalled, Code::RunNotFound, Code::UnknownCode, Code::ScriptNotFound,
        Code::ServerNotRunning,
    ]),
    (StatusCode::METHOD_NOT_ALLOWED, &[Code::MethodNotAllowed]),
    (StatusCode::REQUEST_TIMEOUT, &[Code::RequestTooSlow]),
    (StatusCode::CONFLICT, &[
        Code::SkillAmbiguous, Code::PluginInUse, Code::EnvironmentMissing, Code::DependencyMissing, Code::DependencyCycle,
        Code::HookFailed, Code::ToolConflict, Code::SkillChanged, Code::AlreadyExists, Code::WorkspaceConflict, Code::ImageAmbiguous,
        Code::ImageInUse, Code::AlreadyDecided, Code::NotConfirmed, Code::NothingLost, Code::InstallConflict, Code::LocallyEdited,
        Code::UpdateConflict, Code::NothingBefore, Code::ChangesSensitive, Code::ChangesUnusable, Code::ReplayImpossible,
        Code::SandboxEnded, Code::SourceChanged, Code::HostFileInvalid, Code::LockInvalid, Code::LockMissing, Code::ReadFailed,
    ]),
    (StatusCode::GONE, &[Code::RequestExpired]),
    (StatusCode::PRECONDITION_FAILED, &[Code::PreconditionFailed]),
    (StatusCode::PAYLOAD_TOO_LARGE, &[Code::RequestTooLarge]),
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, &[Code::MediaTypeUnsupported]),
    (StatusCode::UNPROCESSABLE_ENTITY, &[
        Code::InvalidParams, Code::ToolInputInvalid, Code::ExecutorUnbound, Code::SettingInvalid, Code::SecretInvalid,
        Code::SkillTooLarge, Code::UnknownSource, Code::EmptyQuery, Code::InvalidName, Code::InvalidPattern, Code::DraftRejected,
        Code::SandboxPolicyInvalid, Code::SandboxMountFailed, Code::SandboxExecFailed, Code::UnknownBackend, Code::UnknownImageRole,
        Code::ImageInvalid, Code::ImageTooLarge, Code::ImageDigestMismatch, Code::ImageUnsupported, Code::UnknownHost,
        Code::UnknownAgent, Code::SourceInvalid, Code::SourceAmbiguous, Code::SourceRefUnknown, Code::NoSkills, Code::ChoiceRequired,
        Code::SkillBroken, Code::ArchiveInvalid, Code::Usage, Code::RequestInvalid,
    ]),
    (StatusCode::PRECONDITION_REQUIRED, &[Code::PreconditionRequired]),
    (StatusCode::TOO_MANY_REQUESTS, &[Code::RateLimited]),
    (StatusCode::INTERNAL_SERVER_ERROR, &[
        Code::Internal, Code::StoreDamaged, Code::WriteFailed, Code::ReloadFailed, Code::ReceiptNotWritten,
        Code::SecretUnreadable, Code::InstallFailed, Code::ListenFailed,
    ]),
    (StatusCode::BAD_GATEWAY, &[
        Code::ProviderUnavailable, Code::SubagentUnavailable, Code::RegistryDenied, Code::RegistryFailed, Code::SourceDenied, Code::SourceUnreachable,
    ]),
    (StatusCode::SERVICE_UNAVAILABLE, &[
        Code::LedgerUnavailable, Code::LedgerNewer, Code::LedgerCut, Code::LockNewer, Code::SandboxUnavailable,
        Code::SandboxLimitUnenforceable, Code::SandboxUnsupported, Code::SandboxLaunchFailed, Code::ServerBusy, Code::GitMissing,
        Code::NoHome,
    ]),
];

/// What else an answer with a code says.
const HEADERS: &[(Code, HeaderName, &str)] = &[
    (Code::NotAuthenticated, WWW_AUTHENTICATE, "Bearer realm=\"guildhall\""),
    (Code::RateLimited, RETRY_AFTER, "1"),
    (Code::ServerBusy, RETRY_AFTER, "1"),
];

/// The status of a code.
pub(crate) fn status(code: Code) -> StatusCode {
    let row = STATUS.iter().find(|(_, codes)| codes.contains(&code));
    row.map_or(StatusCode::INTERNAL_SERVER_ERROR, |(status, _)| *status)
}

/// The answer.
pub(crate) fn refused(refusal: Refusal) -> Response {
    let code = refusal.code;
    let mut response = json(status(code), &refusal.into_envelope());
    if let Some((_, name, value)) = HEADERS.iter().find(|(of, ..)| *of == code) {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The answer to somebody who asks whether the server is there.
pub(crate) async fn healthy() -> Response {
    json(StatusCode::OK, &Envelope::ok(Map::new()))
}

/// The answer to somebody who asks whether the server can do its work: it can where its books can be read.
pub(crate) async fn ready(premises: Arc<Premises>) -> Response {
    let books = requests(&premises.books, premises.now()).await;
    match books.code {
        Code::Ok => json(StatusCode::OK, &Envelope::ok(Map::new())),
        code => refused(Refusal::new(code, books.message)),
    }
}

/// The answer where nothing is mounted.
pub(crate) async fn nowhere() -> Response {
    let message = "there is nothing at this path; MCP is at `/mcp`, the API at `/api/v1`";
    refused(Refusal::new(Code::RouteNotFound, message))
}

fn json(status: StatusCode, reply: &Reply) -> Response {
    let text = serde_json::to_string(reply).unwrap_or_default();
    (status, [(CONTENT_TYPE, HeaderValue::from_static("application/json"))], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_status() {
        for code in Code::ALL {
            let rows = STATUS.iter().filter(|(_, codes)| codes.contains(code)).count();
            assert_eq!(rows, 1, "{}", code.as_str());
        }
    }

    /// What a person or a policy denies is no success, and what is a defect is no fault of the caller's.
    #[test]
    fn statuses_agree_with_exit_codes() {
        for code in Code::ALL {
            let status = status(*code);
            match code.exit_code() {
                0 => assert_eq!(status, StatusCode::OK),
                2 => assert!(status.is_client_error(), "{}", code.as_str()),
                3 => assert!(!status.is_server_error() && status != StatusCode::OK, "{}", code.as_str()),
                70 => assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR),
                _ => {}
            }
        }
    }
}
