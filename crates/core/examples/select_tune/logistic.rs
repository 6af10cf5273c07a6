//! Logistic regression by Newton's method, with a ridge on standardised features.

/// Returns constant and coefficients for the raw features.
pub(crate) fn fit<const F: usize>(rows: &[([f32; F], bool)], ridge: f64) -> (f32, [f32; F]) {
    let size = F + 1;
    let count = rows.len() as f64;
    let mut mean = vec![0f64; size];
    let mut deviation = vec![1f64; size];
    for feature in 1..size {
        mean[feature] = rows.iter().map(|row| f64::from(row.0[feature - 1])).sum::<f64>() / count;
        let variance = rows.iter().map(|row| (f64::from(row.0[feature - 1]) - mean[feature]).powi(2)).sum::<f64>() / count;
        deviation[feature] = variance.sqrt().max(1e-6);
    }
    let standard: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            let mut x = vec![1f64; size];
            for feature in 1..size {
                x[feature] = (f64::from(row.0[feature - 1]) - mean[feature]) / deviation[feature];
            }
            x
        })
        .collect();
    let mut weights = vec![0f64; size];
    for _ in 0..30 {
        let mut gradient = vec![0f64; size];
        let mut hessian = vec![vec![0f64; size]; size];
        for (x, row) in standard.iter().zip(rows) {
            let p = 1.0 / (1.0 + (-dot(x, &weights)).exp());
            let error = p - f64::from(u8::from(row.1));
            for i in 0..size {
                gradient[i] += error * x[i];
                for j in 0..size {
                    hessian[i][j] += p * (1.0 - p) * x[i] * x[j];
                }
            }
        }
        for i in 0..size {
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
    let mut coefficients = [0f32; F];
    for feature in 1..size {
        let weight = weights[feature] / deviation[feature];
        bias -= weight * mean[feature];
        coefficients[feature - 1] = weight as f32;
    }
    (bias as f32, coefficients)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Gaussian elimination; the ridge keeps the matrix regular.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs())).unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..size {
            let factor = matrix[row][column] / matrix[column][column];
            let above = matrix[column].clone();
            for (value, above) in matrix[row].iter_mut().zip(above).skip(column) {
                *value -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for column in (0..size).rev() {
        right[column] /= matrix[column][column];
        for row in 0..column {
            right[row] -= matrix[row][column] * right[column];
        }
    }
    right
}
