//! Logistic regression by Newton's method, with a ridge on standardised features.

use briefing_core::select::{Evidence, FEATURES};

const N: usize = FEATURES.len() + 1;

/// Returns constant and coefficients for the raw features.
pub(crate) fn fit(rows: &[(Evidence, bool)], ridge: f64) -> (f32, Evidence) {
    let count = rows.len() as f64;
    let mut mean = [0f64; N];
    let mut deviation = [1f64; N];
    for feature in 1..N {
        mean[feature] = rows.iter().map(|row| f64::from(row.0[feature - 1])).sum::<f64>() / count;
        let variance = rows.iter().map(|row| (f64::from(row.0[feature - 1]) - mean[feature]).powi(2)).sum::<f64>() / count;
        deviation[feature] = variance.sqrt().max(1e-6);
    }
    let standard: Vec<[f64; N]> = rows
        .iter()
        .map(|row| {
            let mut x = [1f64; N];
            for feature in 1..N {
                x[feature] = (f64::from(row.0[feature - 1]) - mean[feature]) / deviation[feature];
            }
            x
        })
        .collect();
    let mut weights = [0f64; N];
    for _ in 0..30 {
        let mut gradient = [0f64; N];
        let mut hessian = [[0f64; N]; N];
        for (x, row) in standard.iter().zip(rows) {
            let p = 1.0 / (1.0 + (-dot(x, &weights)).exp());
            let error = p - f64::from(u8::from(row.1));
            for i in 0..N {
                gradient[i] += error * x[i];
                for j in 0..N {
                    hessian[i][j] += p * (1.0 - p) * x[i] * x[j];
                }
            }
        }
        for i in 0..N {
            let strength = if i == 0 { 1e-6 } else { ridge };
            gradient[i] += strength * weights[i];
            hessian[i][i] += strength;
        }
        let step = solve(hessian, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight -= step;
        }
    }
    let mut bias = weights[0];
    let mut evidence = Evidence::default();
    for feature in 1..N {
        let weight = weights[feature] / deviation[feature];
        bias -= weight * mean[feature];
        evidence[feature - 1] = weight as f32;
    }
    (bias as f32, evidence)
}

fn dot(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Gaussian elimination; the ridge keeps the matrix regular.
fn solve(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for column in 0..N {
        let pivot = (column..N).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs())).unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..N {
            let factor = matrix[row][column] / matrix[column][column];
            let above = matrix[column];
            for (value, above) in matrix[row].iter_mut().zip(above).skip(column) {
                *value -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for column in (0..N).rev() {
        right[column] /= matrix[column][column];
        for row in 0..column {
            right[row] -= matrix[row][column] * right[column];
        }
    }
    right
}
