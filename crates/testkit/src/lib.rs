//! Oracles, generators aimed at trouble, and the checker that every answer goes through.
