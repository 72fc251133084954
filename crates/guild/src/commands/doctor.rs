//! `guild doctor`
